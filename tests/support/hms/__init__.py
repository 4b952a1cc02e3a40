"""Real Hive Metastores for tests; see README.md beside this file."""
from .server import Hms, answers, free_port
from .versions import (JSON_MESSAGES, NO_LISTENER, REFUSED_LOG, VERSIONS, cleaned_log)

__all__ = ["Hms", "JSON_MESSAGES", "NO_LISTENER", "REFUSED_LOG", "VERSIONS", "answers",
           "cleaned_log", "free_port"]
