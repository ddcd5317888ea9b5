/** A decision request: to the platform, or to an engine directly. */
export interface DecisionCall {
  readonly url: string
  /** Environment variable that holds the credential. */
  readonly variable: 'ENGINE_API_KEY' | 'ENGINE_TOKEN'
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly input: string
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** For a POSIX shell. */
export function curlOf({ url, variable, headers, input }: DecisionCall): string {
  const lines = [
    `curl -s ${quoted(url)}`,
    `  -H "authorization: Bearer $${variable}"`,
    `  -H 'content-type: application/json'`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    `  -d ${quoted(`{"input": ${indented(input)}}`)}`,
  ]
  return lines.join(' \\\n')
}

/** A module that Node, Deno and Bun run unchanged. */
export const scriptOf = ({
  url,
  variable,
  headers,
  input,
}: DecisionCall): string => `const response = await fetch(${literal(url)}, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.${variable}}\`,
    'content-type': 'application/json',
${Object.entries(headers)
  .map(([name, value]) => `    ${literal(name)}: ${literal(value)},\n`)
  .join('')}  },
  body: JSON.stringify({ input: ${indented(input)} }),
})
if (!response.ok) throw new Error(await response.text())
const { code, message, output } = await response.json()
console.log(code, message, output)`

/** JSON in a triple-quoted string of Python or Java. */
const block = (json: string) => json.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')

/** For Python 3, with its standard library. */
export const pythonOf = ({ url, variable, headers, input }: DecisionCall): string => `import json, os, urllib.request

body = """{"input": ${block(input)}}"""
request = urllib.request.Request(
    ${JSON.stringify(url)},
    data=body.encode(),
    headers={
        "authorization": "Bearer " + os.environ["${variable}"],
        "content-type": "application/json",
${Object.entries(headers)
  .map(([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`)
  .join('')}    },
)
with urllib.request.urlopen(request) as response:
    decision = json.load(response)
print(decision["code"], decision["message"], decision["output"])`

/** For Go, with its standard library. */
export const goOf = ({ url, variable, headers, input }: DecisionCall): string => `package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := \`{"input": ${input.replaceAll('`', '` + "`" + `')}}\`
	request, err := http.NewRequest("POST", ${JSON.stringify(url)}, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("authorization", "Bearer "+os.Getenv("${variable}"))
	request.Header.Set("content-type", "application/json")
${Object.entries(headers)
  .map(([name, value]) => `	request.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})\n`)
  .join('')}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	decision, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		log.Fatal(string(decision))
	}
	fmt.Println(string(decision))
}`

/** For Java 17, with its standard library: `java Decide.java`. */
export const javaOf = ({ url, variable, headers, input }: DecisionCall): string => `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

public class Decide {
    public static void main(String[] arguments) throws Exception {
        String body = """
            {"input": ${block(input).replaceAll('\n', '\n            ')}}""";
        HttpRequest request = HttpRequest.newBuilder(URI.create(${JSON.stringify(url)}))
            .header("authorization", "Bearer " + System.getenv("${variable}"))
            .header("content-type", "application/json")
${Object.entries(headers)
  .map(([name, value]) => `            .header(${JSON.stringify(name)}, ${JSON.stringify(value)})\n`)
  .join('')}            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
        HttpResponse<String> response =
            HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) throw new IllegalStateException(response.body());
        System.out.println(response.body());
    }
}`

/** A call of an engine over gRPC. */
export interface GrpcCall {
  /** Host and port. */
  readonly address: string
  readonly ruleset: string
  /** Metadata in addition to the credential. */
  readonly metadata: Readonly<Record<string, string>>
  /** JSON. */
  readonly input: string
}

/** A module for Node with `@grpc/grpc-js` and `@grpc/proto-loader`, which needs `engine.proto` in the same folder. */
export const grpcOf = ({
  address,
  ruleset,
  metadata,
  input,
}: GrpcCall): string => `import { credentials, loadPackageDefinition, Metadata } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'

const { engine } = loadPackageDefinition(loadSync('engine.proto'))
const client = new engine.EngineService(${literal(address)}, credentials.createInsecure())
const metadata = new Metadata()
metadata.set('authorization', \`Bearer \${process.env.ENGINE_TOKEN}\`)
${Object.entries(metadata)
  .map(([name, value]) => `metadata.set(${literal(name)}, ${literal(value)})\n`)
  .join('')}const input = ${input}
client.Execute({ name: ${literal(ruleset)}, inputJson: JSON.stringify(input) }, metadata, (error, response) => {
  if (error) throw error
  console.log(response.code, response.message, JSON.parse(response.outputJson))
  client.close()
})`

/** A text as a JavaScript literal, in single quotes. */
const literal = (text: string) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const indented = (text: string) => text.replaceAll('\n', '\n  ')
