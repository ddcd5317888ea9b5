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
