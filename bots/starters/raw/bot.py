"""A bot on the generated code alone: it plays the last action of each list, and comes back after every cut."""

import asyncio
import os
from typing import Any, cast

import grpc

from agon.v1 import play_pb2 as pb, play_pb2_grpc


async def play(address: str, slots: int, *first: pb.UpFrame) -> None:
    hello = pb.Hello(protocol_min=1, protocol_max=1, slots=slots, token=os.environ.get("AGON_TOKEN", ""))
    hello.games.add(name=os.environ.get("AGON_GAME", "ephyran"))
    async with grpc.aio.insecure_channel(address, options=[("grpc.keepalive_time_ms", 10_000)]) as channel:
        stream = cast(Any, play_pb2_grpc.PlayServiceStub(channel)).Play()
        await stream.write(pb.PlayRequest(frames=[pb.UpFrame(hello=hello), *first]))
        async for down in (frame async for message in stream for frame in message.frames):
            choose = {"decision": down.decide.decision, "index": len(down.decide.actions) - 1}
            answers: dict[str, Any] = {"start": {"ready": {}}, "decide": {"choose": choose}}
            answers |= {"offer": {"join": {"ticket": down.offer.ticket}}, "ping": {"pong": {"id": down.ping.id}}}
            up = pb.UpFrame(match=down.match, seat=down.seat, **answers.get(down.WhichOneof("body"), {}))
            if up.WhichOneof("body") and not stream.done():  # while it plays at another server, this one is left alone
                await (play(to, 0, up) if (to := down.offer.address) else stream.write(pb.PlayRequest(frames=[up])))
            elif down.HasField("over") and not slots and stream.cancel():
                return


with asyncio.Runner() as runner:
    for attempt in range(150):
        try:
            runner.run(asyncio.sleep(min(attempt, 2)))
            runner.run(play(os.environ.get("AGON_SERVER", "127.0.0.1:7420"), 1))
        except (KeyboardInterrupt, grpc.aio.AioRpcError) as error:
            if isinstance(error, KeyboardInterrupt) or error.code().value[0] in (3, 7, 9, 10, 16):  # it will not heal
                raise SystemExit(130 if isinstance(error, KeyboardInterrupt) else error.details()) from None
            os.write(2, f"{error.code().name}: {error.details()}; trying again\n".encode())
raise SystemExit(3)
