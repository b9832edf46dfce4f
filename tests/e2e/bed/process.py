"""A background program of a test: started, stopped, killed, paused; its output goes to a file.

The program never outlives the process that started it: the kernel kills it when that process ends. It has its own session,
so a ctrl-C reaches only the starter, which then stops its programs in order.
"""

import ctypes
import os
import signal
import subprocess
import threading
import time

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)
LOG_TAIL_BYTES = 2000


class ProcessError(Exception):
    """A program did not start, or ended by itself; the text holds the end of its log."""


class Process:
    """`command` with its log; may be started and stopped repeatedly and appends to the log."""

    def __init__(self, name, command, log, environment=None):
        self.name = name
        self.command = [str(word) for word in command]
        self.log = log
        self.environment = environment
        self.child = None

    def start(self):
        # The kernel's parent-death signal depends on the *thread* that made the child.
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("programs are started by the main thread: they would end with any other")
        starter = os.getpid()
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                          env=self.environment, start_new_session=True,
                                          preexec_fn=lambda: end_with(starter))

    @property
    def pid(self):
        return self.child.pid

    def is_running(self):
        return self.child is not None and self.child.poll() is None

    def signal(self, number):
        if self.is_running():
            self.child.send_signal(number)

    def pause(self):
        """Suspends the program (SIGSTOP); its clients time out."""
        self.signal(signal.SIGSTOP)

    def resume(self):
        self.signal(signal.SIGCONT)

    def kill(self):
        """Kills it (SIGKILL), as a crash."""
        self.signal(signal.SIGKILL)
        self.wait()

    def stop(self, patience_seconds=20):
        """Terminates it and waits; kills it after a timeout. Returns the exit status."""
        self.resume()
        self.signal(signal.SIGTERM)
        try:
            return self.wait(patience_seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.wait()

    def wait(self, timeout_seconds=None):
        return self.child.wait(timeout_seconds) if self.child else None

    def wait_until(self, is_ready, timeout_seconds=60):
        """Waits until `is_ready()` is true. ProcessError if the program ends before that, or after the timeout."""
        deadline = time.monotonic() + timeout_seconds
        while not is_ready():
            if not self.is_running():
                raise ProcessError(f"{self.name} ended with status {self.wait()} before it was ready\n{self.tail()}")
            if time.monotonic() > deadline:
                raise ProcessError(f"{self.name} is not ready after {timeout_seconds} s\n{self.tail()}")
            time.sleep(0.05)

    def tail(self):
        """The end of the log."""
        if not self.log.exists():
            return ""
        with open(self.log, "rb") as log:
            log.seek(max(0, self.log.stat().st_size - LOG_TAIL_BYTES))
            return f"{self.log}: ...\n" + log.read().decode(errors="replace")

    def resident_bytes(self):
        """Its resident memory."""
        return self.proc_number("status", "VmRSS:") * 1024

    def cpu_seconds(self):
        """CPU time that it has used so far, user and system."""
        fields = open(f"/proc/{self.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def proc_number(self, file, key):
        for line in open(f"/proc/{self.pid}/{file}", encoding="ascii"):
            if line.startswith(key):
                return int(line.split()[1])
        return 0


def end_with(starter):
    """Runs in the child before its program: makes the kernel kill it when `starter` ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != starter:     # the starter ended before the line above
        os._exit(1)
