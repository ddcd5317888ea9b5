import engine.ApiClient;
import engine.api.DataFiltersApi;
import engine.api.ExecutionApi;
import engine.api.RulesetsApi;
import engine.model.*;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** `<url> <file of a ruleset>`: stores, reads, executes and filters by the Java client of openapi-generator. */
public final class OpenApiGenerator {
    public static void main(String[] arguments) throws Exception {
        var client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        var json = client.getObjectMapper();
        var rulesets = new RulesetsApi(client);

        var done = new TerminalStep().id("done").type(TerminalStep.TypeEnum.TERMINAL)
            .result(new TerminalResult().code("DONE").message(""));
        rulesets.postRulesets(RulesetsApi.APIPostRulesetsRequest.newBuilder()
            .ruleset(new Ruleset().config(new RulesetConfig().name("made-before").entryStep("done"))
                .steps(Map.of("done", new Step(done)))).build());

        var ruleset = json.readValue(Files.readString(Path.of(arguments[1])), Ruleset.class);
        rulesets.postRulesets(RulesetsApi.APIPostRulesetsRequest.newBuilder().ruleset(ruleset).build());
        var name = ruleset.getConfig().getName();
        var read = rulesets.getRulesetsName(RulesetsApi.APIGetRulesetsNameRequest.newBuilder().name(name).build());
        var call = read.getSteps().get("prepare").getActionStep().getActions().get(3).getCallRuleset();
        if (!call.getRulesetName().equals("made-before")) throw new IllegalStateException(call.toString());
        var execute = new ExecuteRequest().input(Map.of("age", 20, "country", "DE"));
        var executed = new ExecutionApi(client).postExecuteName(
            ExecutionApi.APIPostExecuteNameRequest.newBuilder().name(name).executeRequest(execute).build());
        var filter = new FilterRequest().knownInput(Map.of()).targetResults(List.of("ADULT"));
        var filtered = new DataFiltersApi(client).postRulesetsNameFilter(
            DataFiltersApi.APIPostRulesetsNameFilterRequest.newBuilder().name(name).filterRequest(filter).build());
        var seen = new LinkedHashMap<String, Object>();
        seen.put("ruleset", read);
        seen.put("code", executed.getCode());
        seen.put("filter", filtered.getFilter());
        System.out.println(json.writeValueAsString(seen));
    }
}
