"""A bot on the generated code alone: it plays the last action of each list, and comes back after every cut."""

import asyncio
import os
from typing import Any, cast

import grpc

from agon.v1 import play_pb2, play_pb2_grpc


async def play(address: str, slots: int, *first: play_pb2.UpFrame) -> None:
    hello = play_pb2.Hello(protocol_min=1, protocol_max=1, token=os.environ["AGON_TOKEN"], slots=slots)
    hello.games.add(name="ephyran")
    async with grpc.aio.insecure_channel(address) as channel:
        stream = cast(Any, play_pb2_grpc.PlayServiceStub(channel)).Play()
        await stream.write(play_pb2.PlayRequest(frames=[play_pb2.UpFrame(hello=hello), *first]))
        async for down in (frame async for message in stream for frame in message.frames):
            answers: dict[str, Any] = {
                "offer": {"join": {"ticket": down.offer.ticket}},
                "start": {"ready": {}},
                "decide": {"choose": {"decision": down.decide.decision, "index": len(down.decide.actions) - 1}},
                "ping": {"pong": {"id": down.ping.id}},
            }
            up = play_pb2.UpFrame(match=down.match, seat=down.seat, **answers.get(down.WhichOneof("body"), {}))
            if down.offer.address:  # at another server: this one is left alone until Over
                await play(down.offer.address, 0, up)
            elif up.WhichOneof("body"):
                await stream.write(play_pb2.PlayRequest(frames=[up]))
            elif down.HasField("over") and not slots and stream.cancel():
                return


while True:
    try:
        asyncio.run(play(os.environ["AGON_SERVER"], 1))
    except grpc.RpcError:
        asyncio.run(asyncio.sleep(1))
