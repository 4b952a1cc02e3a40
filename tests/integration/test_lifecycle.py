"""Starting, stopping and starting again; options and what is wrong with them."""
import json
import signal
import socket
import subprocess
import threading
import time

import pytest
from thrift.Thrift import TException

from support import metastore
from support.daemon import BIN, ENVIRONMENT, CommandFailed, Daemon
from support.metastore import change_table
from support.tcp_proxy import FaultyProxy


def run_daemon(*options, environment=None):
    return subprocess.run([str(BIN / "catalogd"), *options], capture_output=True, text=True,
                          timeout=60, env={**ENVIRONMENT, **(environment or {})}, check=False)


def test_stopping_finishes_a_running_ddl_and_takes_no_more(hms, start_daemon, direct, db):
    with FaultyProxy(hms.port) as relay:
        daemon = start_daemon("--metastore", relay.uri)
        daemon.wait()
        relay.delay_answers_of("create_table", 1.5)
        finished = []

        def create():
            with metastore.connect(daemon.port) as client:
                client.create_table(metastore.table(db, "slow"))
                finished.append(True)

        writer = threading.Thread(target=create)
        writer.start()
        while not relay.calls["create_table"]:
            time.sleep(0.01)
        daemon.terminate()
        refused = False
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", daemon.port), timeout=1).close()
                time.sleep(0.01)
            except OSError:
                refused = True
                break
        assert refused and not finished
        assert daemon.process.wait(30) == 0
        writer.join(30)
        assert finished == [True]
        assert "slow" in direct.get_all_tables(db)


def writers_of_one_table(daemon, relay, count):
    """The first one is at the metastore, the others wait for its lock: threads, what they got."""
    outcomes = {}

    def write(number):
        try:
            with metastore.connect(daemon.port) as client:
                client.create_table(metastore.table("default", f"stopped_{daemon.port}"))
            outcomes[number] = "done"
        except TException as error:
            outcomes[number] = getattr(error, "message", None) or str(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(count)]
    threads[0].start()
    daemon.eventually(lambda _: relay.calls["create_table"])
    for thread in threads[1:]:
        thread.start()
    daemon.eventually(lambda status: status["ddls_in_flight"] == count)
    return threads, outcomes


def test_stopping_sends_no_write_that_still_waits(hms, start_daemon):
    with FaultyProxy(hms.port) as relay:
        daemon = start_daemon("--metastore", relay.uri)
        daemon.wait()
        relay.delay_answers_of("create_table", 1.5)
        threads, outcomes = writers_of_one_table(daemon, relay, 3)
        daemon.terminate()
        assert daemon.process.wait(30) == 0
        for thread in threads:
            thread.join(30)
        assert outcomes[0] == "done"
        for number in (1, 2):
            assert "nothing was sent" in outcomes[number]
            assert "the daemon is stopping" in outcomes[number]
        assert relay.calls["create_table"] == 1


def test_a_write_that_is_cut_off_shows_in_the_exit_code(hms, start_daemon):
    with FaultyProxy(hms.port) as relay:
        daemon = start_daemon("--metastore", relay.uri, "--stop-timeout", "1s")
        daemon.wait()
        relay.delay_answers_of("create_table", 2.5)
        threads, _ = writers_of_one_table(daemon, relay, 1)
        daemon.terminate()
        assert daemon.process.wait(30) == 1
        threads[0].join(30)
        assert "not answered within --stop-timeout" in daemon.log_tail()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopping_with_idle_connections_is_quick_and_clean(hms, start_daemon, number):
    daemon = start_daemon("--metastore", hms.uri)
    with metastore.connect(daemon.port) as client:
        assert client.get_all_databases()
        started = time.monotonic()
        daemon.process.send_signal(number)
        assert daemon.process.wait(30) == 0
        assert time.monotonic() - started < 15


@pytest.mark.parametrize("how", ["stopped", "killed"])
def test_catalog_versions_go_on_after_a_restart(hms, start_daemon, direct, db, tmp_path, how):
    direct.create_table(metastore.table(db, "t"))
    last = 0
    for number in range(3):
        daemon = start_daemon("--metastore", hms.uri, state_dir=tmp_path / "kept")
        daemon.wait()
        with metastore.connect(daemon.port) as client:
            change_table(client, db, "t", parameters={"n": str(number)})
        info = daemon.get(f"{db}.t")
        assert info["catalog_version"] > last
        assert daemon.status()["catalog_version"] >= info["catalog_version"]
        last = daemon.status()["catalog_version"]
        if how == "stopped":
            assert daemon.stop() == 0
        else:
            daemon.kill()


def test_two_daemons_do_not_share_a_state_directory(hms, start_daemon, tmp_path):
    start_daemon("--metastore", hms.uri, state_dir=tmp_path / "one")
    with pytest.raises(RuntimeError) as failure:
        start_daemon("--metastore", hms.uri, state_dir=tmp_path / "one")
    assert str(tmp_path / "one") in str(failure.value)


def test_a_port_that_is_taken(hms, daemon, start_daemon):
    with pytest.raises(RuntimeError) as failure:
        start_daemon("--metastore", hms.uri, "--port", str(daemon.port))
    assert str(daemon.port) in str(failure.value)


BAD_OPTIONS = [
    (["--prot", "1"], "did you mean --port"),
    (["--port", "70000"], "port"),
    (["--port", "x"], "port"),
    (["--poll-interval", "soon"], "poll-interval"),
    (["--metastore", "http://a:1"], "thrift://"),
    (["--metastore", "thrift://:9083"], "metastore"),
    (["--read-mode", "sometimes"], "passthrough"),
    (["--config", "/nonexistent/catalogd.conf"], "/nonexistent/catalogd.conf"),
    (["surprise"], "surprise"),
]


@pytest.mark.parametrize("options, text", BAD_OPTIONS, ids=[" ".join(b[0]) for b in BAD_OPTIONS])
def test_a_bad_option_is_named_with_what_would_be_right(options, text):
    ran = run_daemon(*options)
    assert ran.returncode in (1, 2)
    assert text in ran.stderr
    assert ran.stdout == ""


def test_options_from_file_and_environment(tmp_path):
    file = tmp_path / "catalogd.conf"
    file.write_text("# comment\nport = 1111\nweb-port = 2222\npoll-interval = 3s\n")
    shown = run_daemon("config", "--config", str(file), "--web-port", "4444",
                       environment={"CATALOGD_POLL_INTERVAL": "5s"}).stdout
    assert "port = 1111\n    from file" in shown
    assert "poll-interval = 5s\n    from environment" in shown
    assert "web-port = 4444\n    from flag" in shown
    assert "read-mode = cached\n    from default" in shown


def test_an_unknown_key_in_the_file_says_where_and_what_was_meant(tmp_path):
    file = tmp_path / "catalogd.conf"
    file.write_text("port = 1\npol-interval = 3s\n")
    ran = run_daemon("--config", str(file))
    assert ran.returncode == 2
    assert f"{file}:2" in ran.stderr and "poll-interval" in ran.stderr


def test_an_unknown_variable_of_ours_is_an_error(tmp_path):
    ran = run_daemon("config", environment={"CATALOGD_PROT": "1"})
    assert ran.returncode == 2
    assert "CATALOGD_PROT" in ran.stderr


def test_versions_and_help():
    for program in ("catalogd", "catalogctl"):
        shown = subprocess.run([str(BIN / program), "--version"], capture_output=True, text=True,
                               check=True).stdout
        assert shown.startswith(program + " ") and any(c.isdigit() for c in shown)
        assert "--port" in subprocess.run([str(BIN / program), "--help"], capture_output=True,
                                          text=True, check=True).stdout


@pytest.mark.parametrize("arguments, told", [
    (["nope"], "there is no command nope"), (["wait", "--event", "-1"], "--event"),
    (["status", "--timeout", "x"], "--timeout"),
    (["--port", "1", "--port", "2", "status"], "--port")])
def test_wrong_usage_is_told_also_as_json(arguments, told):
    command = [str(BIN / "catalogctl"), *arguments]
    text = subprocess.run(command, capture_output=True, text=True, check=False)
    assert text.returncode == 2 and told in text.stderr
    ran = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert told in json.loads(ran.stderr)["error"]["message"]


def test_all_listeners_are_on_loopback(daemon):
    listening = set()
    for line in open("/proc/net/tcp", encoding="ascii").read().splitlines()[1:]:
        local, state = line.split()[1], line.split()[3]
        address, port = local.split(":")
        if state == "0A" and int(port, 16) in (daemon.port, daemon.web_port):
            listening.add(address)
    assert listening == {"0100007F"}


def test_the_command_line_without_a_daemon():
    probe = Daemon([], "/nonexistent")
    probe.port = 1
    with pytest.raises(CommandFailed) as failure:
        probe.ctl_text("status")
    assert failure.value.code == 10
    assert "127.0.0.1:1" in failure.value.text
