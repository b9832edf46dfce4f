"""Systems with too few resources: file descriptors, threads, address space, disk space."""

import contextlib
import os
import resource
import time

import process
from world_objects import add_pods, add_pool

INFINITE = resource.RLIM_INFINITY


def refuses(world, words, **wishes):
    """Asserts that the process ends with 1 and a message that has all the words, without having requested the Lease."""
    tenon = world.run(**wishes)
    status = tenon.wait(15)
    text = tenon.log() + tenon.errors()
    assert status == 1, f"{wishes}: exit {status}: {text[-500:]}"
    for word in words:
        assert word in text, f"{wishes}: no \"{word}\" in {text[-500:]}"
    assert "CHECK" not in text and "src/" not in text, text
    assert not any(kind == "leases" for _, kind, _ in world.api.requests)


def too_few_descriptors_are_said_at_the_start(program):
    with process.World(program) as world:
        refuses(world, ("60 file descriptors are allowed and ", " needed for 16 calls at once: raise", "ulimit -Hn"),
                limits={resource.RLIMIT_NOFILE: (60, 60)})


def a_soft_limit_of_descriptors_is_raised(program):
    with process.World(program) as world:
        tenon = world.run(limits={resource.RLIMIT_NOFILE: (60, 4096)})
        tenon.await_ready()
        assert resource.prlimit(tenon.pid, resource.RLIMIT_NOFILE)[0] > 60


def little_address_space_is_said_at_the_start(program):
    with process.World(program) as world:
        for megabytes in (400, 250):
            refuses(world, ("address space", "ulimit -v"), limits={resource.RLIMIT_AS: (megabytes << 20, INFINITE)})


def refused_threads_are_said_at_the_start(program):
    """Runs as nobody, since the limit on processes does not apply to root."""
    with process.World(program) as world:
        refuses(world, (" threads are needed and the system gives ", "ulimit -u"),
                limits={resource.RLIMIT_NPROC: (10, 10)}, nobody=True)


def take_descriptors(tenon):
    """Limits the descriptors to those that are open now. One that is closed and opened again meanwhile counts as open: so
    does the program with one that it spares for probes."""
    taken = set()
    with contextlib.suppress(ProcessLookupError, FileNotFoundError):  # it has ended
        for _ in range(4):
            taken |= set(tenon.descriptors())
            time.sleep(0.1)
        free = next(number for number in range(4096) if number not in taken)
        resource.prlimit(tenon.pid, resource.RLIMIT_NOFILE, (free, 4096))


def no_descriptor_left_ends_a_leader(program):
    """No descriptor is free any more. Probes are answered, the log names the reason, and the Lease is given up."""
    with process.World(program) as world:
        add_pool(world.api)
        tenon = world.run()
        tenon.await_ready()
        assert world.holder()
        time.sleep(0.5)
        take_descriptors(tenon)
        cpu = tenon.cpu_seconds()
        world.api.end_watches("pods")
        add_pods(world.api, 5)
        begun = time.monotonic()
        answered = spent = 0
        while tenon.child.poll() is None and time.monotonic() - begun < 25 * process.LOADED:
            take_descriptors(tenon)  # also those of connections that have ended since
            answered += tenon.health(seconds=1)[0] == 200
            spent = tenon.cpu_seconds() - cpu if tenon.child.poll() is None else spent
        assert tenon.wait(1) == 1, tenon.log()[-500:]
        assert answered >= 10, f"{answered} probes were answered"
        assert "no file descriptor is left (EMFILE)" in tenon.log(), tenon.log()
        assert "cannot do any work, ending" in tenon.log()
        assert not world.holder(), world.holder()
        assert spent < 2, f"{spent} s of CPU"  # no busy loop


def closed_descriptors_are_not_reused(program):
    """Standard output or error that is closed must not become a connection that the log goes into."""
    with process.World(program) as world:
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            tenon = world.run(closed=closed)
            process.wait_for(lambda: tenon.health()[0] == 200, 10, "/healthz")
            for fd in range(3):
                target = os.readlink(f"/proc/{tenon.pid}/fd/{fd}")
                assert target == "/dev/null" or target.endswith(".stderr"), f"{closed}: {fd} is {target}"
            assert tenon.stop(10)[0] == 0


def a_log_that_may_not_grow_ends_nothing(program):
    with process.World(program) as world:
        tenon = world.run("--log-level=debug", limits={resource.RLIMIT_FSIZE: (300, 300)})
        process.wait_for(lambda: world.holder() and tenon.health("/readyz")[0] == 200, 15, "a leader that is ready")
        assert tenon.log_path.stat().st_size <= 300
        assert tenon.stop(10)[0] == 0
