"""A bot on the generated code alone: it plays the last action of each list, and comes back after every cut."""

import asyncio
import os
from typing import Any, cast

import grpc

from agon.v1 import play_pb2, play_pb2_grpc


async def play(address: str, slots: int, *first: play_pb2.UpFrame) -> None:
    hello = play_pb2.Hello(protocol_min=1, protocol_max=1, slots=slots, games=[play_pb2.HelloGame(name="ephyran")])
    hello.token = os.environ.get("AGON_TOKEN", "")
    async with grpc.aio.insecure_channel(address, options=[("grpc.keepalive_time_ms", 10_000)]) as channel:
        stream = cast(Any, play_pb2_grpc.PlayServiceStub(channel)).Play()
        await stream.write(play_pb2.PlayRequest(frames=[play_pb2.UpFrame(hello=hello), *first]))
        async for down in (frame async for message in stream for frame in message.frames):
            choose = {"decision": down.decide.decision, "index": len(down.decide.actions) - 1}
            answers: dict[str, Any] = {"start": {"ready": {}}, "decide": {"choose": choose}}
            answers |= {"offer": {"join": {"ticket": down.offer.ticket}}, "ping": {"pong": {"id": down.ping.id}}}
            up = play_pb2.UpFrame(match=down.match, seat=down.seat, **answers.get(down.WhichOneof("body"), {}))
            there = down.offer.address  # of another server, if any: this one is left alone until Over
            if up.WhichOneof("body"):
                await (play(there, 0, up) if there else stream.write(play_pb2.PlayRequest(frames=[up])))
            elif down.HasField("over") and not slots and stream.cancel():
                return


for attempt in range(150):
    try:
        asyncio.run(asyncio.sleep(min(attempt, 2)))
        asyncio.run(play(os.environ.get("AGON_SERVER", "127.0.0.1:7420"), 1))
    except (KeyboardInterrupt, grpc.aio.AioRpcError) as error:
        if isinstance(error, KeyboardInterrupt) or error.code().value[0] in (3, 7, 9, 10, 16):  # it will not heal
            raise SystemExit(130 if isinstance(error, KeyboardInterrupt) else error.details()) from None
        os.write(2, f"{error.code().name}: {error.details()}; trying again\n".encode())
raise SystemExit(3)
