import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.openfeature.contrib.providers.ofrep.OfrepProvider;
import dev.openfeature.contrib.providers.ofrep.OfrepProviderOptions;
import dev.openfeature.sdk.FlagEvaluationDetails;
import dev.openfeature.sdk.ImmutableContext;
import dev.openfeature.sdk.ImmutableStructure;
import dev.openfeature.sdk.OpenFeatureAPI;
import dev.openfeature.sdk.Value;
import java.util.Map;

/** Prints {@code <flag> <value> <error code>} a line. */
public final class Flags {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        var token = ImmutableList.of("Bearer " + System.getenv("ENGINE_TOKEN"));
        var options = OfrepProviderOptions.builder().baseUrl(System.getenv("ENGINE_URL"))
            .headers(ImmutableMap.of("Authorization", token)).build();
        var api = OpenFeatureAPI.getInstance();
        api.setProviderAndWait(OfrepProvider.constructProvider(options));
        var client = api.getClient();
        var order = new Value(new ImmutableStructure(Map.of("total", new Value(12.5))));
        var context = new ImmutableContext("ada", Map.of("tier", new Value("gold"), "order", order));

        for (var key : flags("BOOLEANS")) show(key, client.getBooleanDetails(key, false, context));
        for (var key : flags("TEXTS")) show(key, client.getStringDetails(key, "other", context));
        for (var key : flags("WHOLES")) show(key, client.getIntegerDetails(key, -1, context));
        for (var key : flags("FRACTIONS")) show(key, client.getDoubleDetails(key, -1.0, context));
        for (var key : flags("OBJECTS")) show(key, client.getObjectDetails(key, new Value(), context));
        api.shutdown();
    }

    private static String[] flags(String name) {
        return System.getenv(name).split(" ");
    }

    private static void show(String key, FlagEvaluationDetails<?> details) throws Exception {
        var value = details.getValue() instanceof Value one ? plain(one) : details.getValue();
        var code = details.getErrorCode() == null ? "" : " " + details.getErrorCode();
        System.out.println(key + " " + JSON.writeValueAsString(value) + code);
    }

    private static Object plain(Value value) {
        if (value.isStructure()) return value.asStructure().asObjectMap();
        if (value.isList()) return value.asList().stream().map(Flags::plain).toList();
        return value.asObject();
    }
}
