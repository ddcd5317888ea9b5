import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * Stores a ruleset, decides about one input and about two, and shows an error: by java.net.http alone. A program of your own
 * reads the answers with its JSON library; here a pattern picks what is printed.
 */
public final class HttpClientExample {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    /** Calls the engine; asked too often, it waits and calls again. */
    private static HttpResponse<String> call(String path, String body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(System.getenv("ENGINE_URL") + path))
            .header("authorization", "Bearer " + System.getenv("ENGINE_TOKEN"))
            .header("content-type", "application/json")
            .timeout(Duration.ofSeconds(30))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
        while (true) {
            var response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
            var seconds = response.headers().firstValue("retry-after");
            if (seconds.isEmpty()) return response;
            Thread.sleep(1000 * Long.parseLong(seconds.get()));
        }
    }

    /** The values of a member, in the order in which they appear. */
    private static String all(String member, HttpResponse<String> response) {
        var found = Pattern.compile('"' + member + "\":\"?([^\",}]+)").matcher(response.body()).results();
        return String.join(" ", found.map(result -> result.group(1)).toList());
    }

    public static void main(String[] arguments) throws Exception {
        var saved = call("/api/v1/rulesets", Files.readString(Path.of("adult-check.json")));
        System.out.println("stored " + all("name", saved));

        var one = call("/api/v1/execute/adult-check", "{\"input\": {\"age\": 20}}");
        System.out.println(all("code", one) + " " + all("limit", one));

        var batch = call("/api/v1/execute/adult-check/batch", "{\"inputs\": [{\"age\": 12}, {\"age\": 30}]}");
        System.out.println(all("code", batch));

        var failed = call("/api/v1/eval", "{\"expression\": \"start_with(\\\"Ada\\\", \\\"A\\\")\"}");
        System.out.println(failed.statusCode() + " " + all("code", failed).split(" ")[0] + " " + all("suggestion", failed));
    }
}
