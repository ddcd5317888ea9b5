"""Decides over gRPC: one input, many in one call, a stream; a deadline, an error, the health of the server."""
import os

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

import engine_pb2 as engine
import engine_pb2_grpc

GOLD = '{"customer": {"tier": "gold", "years": 6}, "order": {"total": 240}}'
BRONZE = '{"customer": {"tier": "bronze"}, "order": {"total": 10}}'
METADATA = [("authorization", "Bearer " + os.environ.get("ENGINE_TOKEN", ""))]


def requests():
    # The ruleset of the first message holds for those that follow.
    yield engine.ExecuteStreamRequest(name="vip-discount", input_json=GOLD)
    yield engine.ExecuteStreamRequest(input_json="not JSON")
    yield engine.ExecuteStreamRequest(input_json=BRONZE)


with grpc.insecure_channel(os.environ.get("ENGINE_GRPC", "127.0.0.1:50051")) as channel:
    stub = engine_pb2_grpc.EngineServiceStub(channel)

    one = stub.Execute(engine.ExecuteRequest(name="vip-discount", input_json=GOLD), timeout=30, metadata=METADATA)
    print("one", one.code)

    batch = stub.BatchExecute(engine.BatchExecuteRequest(name="vip-discount", inputs_json=[GOLD, BRONZE]),
                              timeout=30, metadata=METADATA)
    print("batch", *(result.code for result in batch.results))

    for answer in stub.ExecuteStream(requests(), timeout=30, metadata=METADATA):
        print("stream", answer.index, answer.result.code)

    # A deadline that has passed, and a ruleset that is not there.
    for name, seconds in (("vip-discount", -1), ("not-there", 30)):
        try:
            stub.Execute(engine.ExecuteRequest(name=name, input_json=GOLD), timeout=seconds, metadata=METADATA)
        except grpc.RpcError as error:
            print("error", error.code().name)

    health = health_pb2_grpc.HealthStub(channel)
    answer = health.Check(health_pb2.HealthCheckRequest(service="engine.EngineService"), timeout=30)
    print("health", health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))
