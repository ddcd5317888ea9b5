import { isObject, quote, type Value } from '@engine/expression'
import { HttpError } from '@engine/http-server'
import { Type } from 'typebox'
import type { KeyHolder } from '../../access/caller.ts'
import { asResponseError, failures, PlatformError } from '../../errors.ts'
import { storedJson } from '../../database/long-json.ts'
import { authorOf } from '../../resources/author.ts'
import { JsonText } from '../../http/json-response.ts'
import { allow, type HandlerRequest, Empty, keyRoute, type Route } from '../../http/route.ts'
import type { AnalyzingParts } from '../drafts/view.ts'
import { inProject } from '../projects/project-scope.ts'
import {
  answerMessage,
  type Methods,
  negotiated,
  type Params,
  ProtocolError,
  toolResult,
  VERSIONS,
} from './protocol.ts'
import { describedTool, type Tool } from './tool.ts'
import { toolsOf } from './tools.ts'
import { VERSION } from '../../version.ts'

const Message = Type.Unknown({
  title: 'McpMessage',
  examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }],
  description: 'one message of JSON-RPC 2.0',
})
const Answered = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Union([Type.String(), Type.Number(), Type.Null()]),
    result: Type.Optional(Type.Object({}, { additionalProperties: true })),
    error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
  },
  { title: 'McpAnswer' },
)

/** Maximum number of values in one message; traversing them takes a few milliseconds. */
const MAX_MESSAGE_VALUES = 100_000

const INSTRUCTIONS =
  'Rulesets of a decision service. Read a ruleset before you change it, validate and test what you propose; people review drafts ' +
  'and release them.'

/** The Model Context Protocol endpoint; its tools have the rights of the API key. */
export function assistantRoutes(parts: AnalyzingParts): readonly Route[] {
  const tools = toolsOf(parts)
  return [
    keyRoute({
      method: 'POST',
      path: '/api/v1/mcp',
      right: 'key',
      summary: 'Handle a Model Context Protocol message (Streamable HTTP, without sessions)',
      group: 'Assistants',
      headers: { 'mcp-protocol-version': `the version that was negotiated: ${VERSIONS.join(', ')}` },
      body: Message,
      maxBodyValues: MAX_MESSAGE_VALUES,
      answers: { 200: Answered, 202: Empty },
      async handle(asked) {
        refuseVersion(asked.raw.headers['mcp-protocol-version'])
        return answerMessage(asked.body as Value, methodsFor(asked, tools, parts))
      },
    }),
  ]
}

function refuseVersion(given: string | readonly string[] | undefined): void {
  if (given !== undefined && !VERSIONS.some((version) => version === given))
    throw new HttpError('invalid-request', `\`mcp-protocol-version\` must be one of ${VERSIONS.join(', ')}`)
}

type Request = Pick<HandlerRequest<KeyHolder, typeof Message>, 'caller' | 'address' | 'requestId'>

function methodsFor(asked: Request, tools: readonly Tool[], parts: AnalyzingParts): Methods {
  return {
    initialize: (params) => ({
      protocolVersion: negotiated(params),
      capabilities: { tools: {} },
      serverInfo: { name: 'engine-platform', version: VERSION },
      instructions: INSTRUCTIONS,
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools: tools.map(describedTool) }),
    'tools/call': (params) => call(asked, tools, parts, params),
  }
}

/** Errors that the assistant can correct become tool results, as the protocol requires, so that the model reads them. */
async function call(asked: Request, tools: readonly Tool[], parts: AnalyzingParts, params: Params): Promise<Value> {
  const { name, arguments: given = {} } = params
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined)
    throw new ProtocolError(
      'invalidParams',
      `there is no tool ${typeof name === 'string' ? quote(name) : 'without a name'}`,
    )
  if (!isObject(given)) throw new ProtocolError('invalidParams', '`arguments` must be an object')
  try {
    return await toolResult(await run(asked, tool, parts, given))
  } catch (thrown) {
    const error = asResponseError(thrown)
    if (error.code === 'defect' || error.code === 'unavailable') throw thrown
    return toolResult(await shownError(error), true)
  }
}

async function run(asked: Request, tool: Tool, { database }: AnalyzingParts, given: Params): Promise<Value> {
  const { caller } = asked
  const { project_id } = given
  if (typeof project_id !== 'string') throw failures.invalid('/project_id', 'must be a text')
  const place = await inProject(database)(caller, { pid: project_id })
  allow(place.member, tool.right)
  return tool.run(given, { place, caller, author: authorOf(caller, asked) })
}

async function shownError(error: PlatformError | HttpError): Promise<Value> {
  const given = error instanceof PlatformError ? error.current : undefined
  const current = given instanceof JsonText ? await storedJson(given.text) : given
  return {
    error: error.message,
    ...(error.details !== undefined && { details: error.details as unknown as Value }),
    ...(current !== undefined && { current: current as Value }),
  }
}
