"""Attacks by an API server: answers that never end, drip, are huge when decompressed, or contradict their headers."""

import itertools
import time
import zlib

import process
from world_objects import add_pods, add_pool

STOP_SECONDS = 5
MEMORY_MB = 250
LOOK_SECONDS = 12


def pack_bomb(head, block, size=200 << 20):
    """gzip of `head` and of as many `block`s as the decompressed size needs."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    head_bytes = packer.compress(head)
    blocks = [packer.compress(block) for _ in range(size // len(block))]
    return head_bytes + b"".join(blocks) + packer.flush()


def bombs_on_every_endpoint_cost_a_bound(program):
    """200 MB of JSON in each answer: lists first (the server is too old for initial events), then watches and writes."""
    text = (b'{"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"n","annotations":{"a":"', b"a" * (1 << 20),
            b'{"items":[{"metadata":{"name":"n"}}', b"," + b'{"metadata":{"name":"n"}},' * (1 << 15) + b"{}")
    bombs = [pack_bomb(text[0], text[1]), pack_bomb(text[2], text[3]),
             pack_bomb(b'{"type":"ADDED","object":{"metadata":{"name":"', text[1])]
    armed = []

    def bomb(request):
        if not armed and request.kind == "leases":
            return False
        if request.query.get("sendInitialEvents") and not armed:
            request.say(400, {"kind": "Status", "status": "Failure", "reason": "BadRequest", "code": 400,
                              "message": "sendInitialEvents: unknown"})
        else:
            request.say_bytes(200, bombs[next(turns) % len(bombs)], Content_Encoding="gzip")
        return True

    turns = itertools.count()
    with process.World(program) as world:
        world.api.faults.append(bomb)
        tenon = world.run()
        process.wait_for(tenon.leads, 10, "a leader")
        time.sleep(LOOK_SECONDS / 2)
        armed.append(True)
        time.sleep(LOOK_SECONDS / 2)
        peak = tenon.memory_mb("VmHWM")
        print(f"{peak} MB resident at most")
        assert peak < MEMORY_MB, f"{peak} MB resident"
        assert tenon.health()[0] == 200
        assert "larger than" in tenon.log(), tenon.log()[-1000:]


def drip(request):
    """Sends one byte per second without end."""
    request.begin_chunks()
    while True:
        request.say_chunk(b" ")
        time.sleep(1)


def answers_that_drip_do_not_hold_up_a_stop(program):
    with process.World(program) as world:
        armed = []
        world.api.faults.append(lambda request: bool(armed) and not request.is_watch and drip(request))
        add_pool(world.api)
        tenon = world.run()
        tenon.await_ready()
        world.await_pool()
        armed.append(True)
        add_pods(world.api, 20)
        process.wait_for(lambda: ("POST", "nodeclaims", False) in world.api.requests, 15, "a create")
        time.sleep(2.5)  # the renewal drips as well by now
        status, seconds = tenon.stop(15)
        assert seconds < STOP_SECONDS, f"the stop took {seconds:.1f} s"


def kinds_that_vanish_are_said_once_and_readiness_follows(program):
    gone = []

    def forget(request):
        if gone and request.kind == "nodepools":
            request.say_not_found()
            return True
        return False

    with process.World(program) as world:
        world.api.faults.append(forget)
        add_pool(world.api)
        tenon = world.run()
        tenon.await_ready()
        gone.append(True)
        world.api.end_watches("nodepools")
        process.wait_for(lambda: "does not know this kind any more" in tenon.log(), 5, "a line of the log")
        process.wait_for(lambda: tenon.health("/readyz")[0] == 500, 35, "/readyz to follow")
        assert "NodePool cannot be listed" in tenon.health("/readyz")[1]
        assert tenon.health()[0] == 200
        gone.clear()
        process.wait_for(lambda: tenon.health("/readyz")[0] == 200, 12, "/readyz to come back")
        assert tenon.log().count("does not know this kind any more") == 1, tenon.log()


def a_create_that_is_answered_with_nonsense_does_not_count(program):
    """The first creates of a NodeClaim and of its Node are answered 200, but nothing is stored."""
    left = {"nodeclaims": [b'{"kind":"Status","status":"Success"}'],
            "nodes": [b"<html>welcome</html>", b'{"kind":"Node","metadata":{"name":"somebody-else","uid":"1"}}']}

    def swallow(request):
        if request.command != "POST" or not left.get(request.kind):
            return False
        request.say_bytes(200, left[request.kind].pop())
        return True

    with process.World(program) as world:
        world.api.faults.append(swallow)
        add_pool(world.api)
        tenon = world.run()
        tenon.await_ready()
        world.await_pool()
        add_pods(world.api, 1)
        process.wait_for(lambda: world.api.all("nodes"), 20, "a Node")
        assert not left["nodes"] and not left["nodeclaims"], left
        time.sleep(0.5)
        assert len(world.api.all("nodes")) == 1 and len(world.api.all("nodeclaims")) == 1
