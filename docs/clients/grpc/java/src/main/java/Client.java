import engine.grpc.*;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Decides over gRPC: one input, many in one call, a stream; a deadline, an error, the health of the server. */
public final class Client {
    private static final String GOLD = "{\"customer\": {\"tier\": \"gold\", \"years\": 6}, \"order\": {\"total\": 240}}";
    private static final String BRONZE = "{\"customer\": {\"tier\": \"bronze\"}, \"order\": {\"total\": 10}}";

    private static ExecuteRequest gold(String name) {
        return ExecuteRequest.newBuilder().setName(name).setInputJson(GOLD).build();
    }

    private static ExecuteStreamRequest streamed(String name, String input) {
        return ExecuteStreamRequest.newBuilder().setName(name).setInputJson(input).build();
    }

    public static void main(String[] arguments) throws Exception {
        var metadata = new Metadata();
        metadata.put(
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + System.getenv("ENGINE_TOKEN"));
        var channel = Grpc.newChannelBuilder(System.getenv("ENGINE_GRPC"), InsecureChannelCredentials.create())
            .intercept(MetadataUtils.newAttachHeadersInterceptor(metadata))
            .build();
        // A deadline counts from here: one for each call.
        var engine = EngineServiceGrpc.newBlockingStub(channel);

        var one = engine.withDeadlineAfter(30, TimeUnit.SECONDS).execute(gold("vip-discount"));
        System.out.println("one " + one.getCode());

        var many = BatchExecuteRequest.newBuilder()
            .setName("vip-discount").addInputsJson(GOLD).addInputsJson(BRONZE).build();
        var batch = engine.withDeadlineAfter(30, TimeUnit.SECONDS).batchExecute(many);
        System.out.println("batch " + batch.getResults(0).getCode() + " " + batch.getResults(1).getCode());

        var done = new CompletableFuture<Void>();
        var requests = EngineServiceGrpc.newStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS)
            .executeStream(new StreamObserver<ExecuteStreamResponse>() {
                @Override
                public void onNext(ExecuteStreamResponse answer) {
                    System.out.println("stream " + answer.getIndex() + " " + answer.getResult().getCode());
                }

                @Override
                public void onError(Throwable error) {
                    done.completeExceptionally(error);
                }

                @Override
                public void onCompleted() {
                    done.complete(null);
                }
            });
        // The ruleset of the first message holds for those that follow.
        requests.onNext(streamed("vip-discount", GOLD));
        requests.onNext(streamed("", "not JSON"));
        requests.onNext(streamed("", BRONZE));
        requests.onCompleted();
        done.get();

        try {
            engine.withDeadlineAfter(1, TimeUnit.MICROSECONDS).execute(gold("vip-discount"));
        } catch (StatusRuntimeException error) {
            System.out.println("error " + error.getStatus().getCode());
        }
        try {
            engine.withDeadlineAfter(30, TimeUnit.SECONDS).execute(gold("not-there"));
        } catch (StatusRuntimeException error) {
            System.out.println("error " + error.getStatus().getCode());
        }

        var health = HealthGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS)
            .check(HealthCheckRequest.newBuilder().setService("engine.EngineService").build());
        System.out.println("health " + health.getStatus());
        channel.shutdown().awaitTermination(5, TimeUnit.SECONDS);
    }
}
