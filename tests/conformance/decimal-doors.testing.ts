import { isObject, type ObjectValue, parseJson, stringifyJson, type Value } from '@engine/expression'
import type { TestClient } from '../grpc/client.testing.ts'
import { JSON_TYPE } from '../http/server.testing.ts'
import type { RulesetCase } from './conformance-data.testing.ts'

/* Cases of decimals through the interfaces of an engine. */

/** A ruleset with another name. */
function named(ruleset: Value, name: string): ObjectValue {
  const { config, ...rest } = objectOf(ruleset)
  return { ...rest, config: { ...objectOf(config), name } }
}

function objectOf(value: Value | undefined): ObjectValue {
  if (value === undefined || !isObject(value)) throw new Error('this is no object')
  return value
}

/** The decision in an answer, as `decisionOfCase` writes it. A failed item of a batch has no output. */
function decisionIn(answer: Value | undefined): string {
  const { code, message, output = null } = objectOf(answer)
  if (code === undefined || output === null) return 'error'
  return stringifyJson({ code, message: message ?? null, output })
}

function read(text: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: 'decimal' })
  if (parsed.kind !== 'parsed') throw new Error(`this is no JSON: ${text}`)
  return parsed.value
}

export async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
): Promise<string> {
  const reply = await fetch(url, { method: 'POST', body, headers })
  return reply.text()
}

/** Requests decisions of a ruleset from an engine. */
export type Door = (name: string, inputs: readonly Value[]) => Promise<readonly string[]>

export const byExecute =
  (url: string): Door =>
  (name, inputs) =>
    Promise.all(
      inputs.map(async (input) =>
        decisionIn(read(await post(`${url}/api/v1/execute/${name}`, stringifyJson({ input })))),
      ),
    )

export const byBatch =
  (url: string): Door =>
  async (name, inputs) => {
    const { results } = objectOf(read(await post(`${url}/api/v1/execute/${name}/batch`, stringifyJson({ inputs }))))
    return (results as readonly Value[]).map((one) => decisionIn(one))
  }

export const byLines =
  (url: string): Door =>
  async (name, inputs) => {
    const lines = inputs.map((input) => `${stringifyJson(input)}\n`).join('')
    const answer = await post(`${url}/api/v1/execute/${name}/batch`, lines, { 'content-type': 'application/x-ndjson' })
    const answers = answer.trim().split('\n').map(read)
    return answers.slice(0, inputs.length).map((one) => decisionIn(one))
  }

export const byGrpc =
  (client: TestClient): Door =>
  (name, inputs) =>
    Promise.all(
      inputs.map(async (input) => {
        const reply = await client.call('Execute', { name, input_json: stringifyJson(input) })
        if (!('message' in reply)) return 'error'
        const { code, message, output_json: output } = reply.message as { [name: string]: string }
        return stringifyJson({ code: code ?? null, message: message ?? null, output: read(output ?? '') })
      }),
    )

/** Many inputs in one call of gRPC. */
export const byGrpcBatch =
  (client: TestClient): Door =>
  async (name, inputs) => {
    const reply = await client.call('BatchExecute', { name, inputs_json: inputs.map((input) => stringifyJson(input)) })
    if (!('message' in reply)) throw new Error(`gRPC: ${reply.details}`)
    const { results } = reply.message as { results: readonly { [name: string]: string }[] }
    return results.map(({ code, message, output_json: output, error }) =>
      error === ''
        ? stringifyJson({ code: code ?? null, message: message ?? null, output: read(output ?? '') })
        : 'error',
    )
  }

/** Cases with names, under which an engine stores them. */
export const namedCases = (cases: readonly RulesetCase[]) =>
  cases.map(({ ruleset, inputs }, index) => {
    const name = `main-${index}`
    return { name, ruleset: named(ruleset, name), inputs }
  })
