// Decides over gRPC: one input, many in one call, a stream; a deadline, an error, the health of the server.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example/enginepb"
)

const (
	gold   = `{"customer": {"tier": "gold", "years": 6}, "order": {"total": 240}}`
	bronze = `{"customer": {"tier": "bronze"}, "order": {"total": 10}}`
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// within gives a context with the token and a deadline.
func within(limit time.Duration) (context.Context, context.CancelFunc) {
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+os.Getenv("ENGINE_TOKEN"))
	return context.WithTimeout(ctx, limit)
}

func main() {
	connection, err := grpc.NewClient(os.Getenv("ENGINE_GRPC"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(err)
	defer connection.Close()
	engine := enginepb.NewEngineServiceClient(connection)
	ctx, cancel := within(30 * time.Second)
	defer cancel()

	one, err := engine.Execute(ctx, &enginepb.ExecuteRequest{Name: "vip-discount", InputJson: gold})
	must(err)
	fmt.Println("one", one.Code)

	many := &enginepb.BatchExecuteRequest{Name: "vip-discount", InputsJson: []string{gold, bronze}}
	batch, err := engine.BatchExecute(ctx, many)
	must(err)
	fmt.Println("batch", batch.Results[0].Code, batch.Results[1].Code)

	stream, err := engine.ExecuteStream(ctx)
	must(err)
	// The ruleset of the first message holds for those that follow.
	must(stream.Send(&enginepb.ExecuteStreamRequest{Name: "vip-discount", InputJson: gold}))
	must(stream.Send(&enginepb.ExecuteStreamRequest{InputJson: "not JSON"}))
	must(stream.Send(&enginepb.ExecuteStreamRequest{InputJson: bronze}))
	must(stream.CloseSend())
	for {
		answer, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		must(err)
		fmt.Println("stream", answer.Index, answer.Result.Code)
	}

	short, cancelShort := within(time.Microsecond)
	defer cancelShort()
	_, err = engine.Execute(short, &enginepb.ExecuteRequest{Name: "vip-discount", InputJson: gold})
	fmt.Println("error", status.Code(err))
	_, err = engine.Execute(ctx, &enginepb.ExecuteRequest{Name: "not-there", InputJson: gold})
	fmt.Println("error", status.Code(err))

	health := grpc_health_v1.NewHealthClient(connection)
	answer, err := health.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: "engine.EngineService"})
	must(err)
	fmt.Println("health", answer.Status)
}
