import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The commands of a client, one a line of words between tabs; see program.py. */
final class Commands {
    interface Command {
        List<String> run(String[] words) throws Exception;
    }

    interface Change {
        void run(String[] words) throws Exception;
    }

    private final Map<String, Command> commands = new TreeMap<>();

    /** Answers with what the command returns. `words` are those after the name. */
    Commands read(String name, Command command) {
        commands.put(name, command);
        return this;
    }

    /** Answers with nothing. */
    Commands write(String name, Change change) {
        return read(name, words -> {
            change.run(words);
            return List.of();
        });
    }

    void serve() throws Exception {
        PrintStream answers =
                new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        System.setOut(System.err);
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            answers.println(answer(line));
        }
    }

    private String answer(String line) {
        String[] all = line.split("\t", -1);
        String[] words = java.util.Arrays.copyOfRange(all, 1, all.length);
        try {
            Command command = commands.get(all[0]);
            if (command == null) {
                throw new IllegalArgumentException("unknown command " + all[0]);
            }
            StringBuilder answer = new StringBuilder("ok");
            for (String word : command.run(words)) {
                answer.append('\t').append(word);
            }
            return answer.toString();
        } catch (Throwable error) {
            error.printStackTrace();
            return "error\t" + String.valueOf(error).replaceAll("\\s", " ");
        }
    }
}
