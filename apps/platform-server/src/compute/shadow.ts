import { stubbedHost } from '@engine/authoring'
import { isList, isObject, jsonValue, masked, maskOf, stringifyJson, type Value } from '@engine/expression'
import {
  ContractError,
  createProgram,
  decodeRuleset,
  ExecutionError,
  MAX_SHOWN_VIOLATIONS,
  type Program,
} from '@engine/ruleset'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { HOST } from './sandbox-host.ts'
import type { Results, ShadowTask, Told } from './tasks.ts'

/** Maximum size of a decompressed request or answer in bytes, and of an example in characters. */
const [MAX_BYTES, MAX_EXAMPLE_CHARACTERS] = [1024 * 1024, 16 * 1024]
/** Maximum number of candidates whose programs are cached. */
const MAX_PROGRAMS = 8

const programs = new Map<string, Program>()

/** The parts of a decision that callers see. */
interface Decided {
  readonly code: string
  readonly message: Value
  readonly output: Value
}

/** The result of an execution; null if it failed. `refused` has the violated rules of a contract, without values. */
type Outcome = Decided | { readonly refused: readonly Value[] } | null

/** Represents a refused input among result codes, as in replays. */
const REFUSED = 'error:INVALID_INPUT'

/** Repeats a decision with a candidate, and reports whether the result differs from the original answer. */
export async function shadowed({ digest, document, request, answer, mask }: ShadowTask): Promise<Results['shadow']> {
  const input = inputOf(request)
  const live = decidedIn(answer)
  if (input === undefined || live === undefined) return { kind: 'skipped' }
  const candidate = await decide(programOf(digest, document), input)
  const [from, to] = [nameOf(live), nameOf(candidate)]
  if (areSame(live, candidate)) return { kind: 'compared', changed: false, from, to, example: undefined }
  const example = masked(
    { input, live: shown(live), candidate: shown(candidate) },
    maskIn(mask),
    MAX_EXAMPLE_CHARACTERS,
  )
  return { kind: 'compared', changed: true, from, to, example: example && stringifyJson(example.value) }
}

/** The paths of an input, at all places in an example that contain its members. */
const maskIn = (paths: readonly string[]) =>
  maskOf(paths.flatMap((path) => [`input.${path}`, `live.output.${path}`, `candidate.output.${path}`]))

const shown = (outcome: Outcome): Value => outcome && { ...outcome }

const nameOf = (outcome: Outcome): string | null => outcome && ('refused' in outcome ? REFUSED : outcome.code)

/** Two refusals of an input are the same for its caller, whatever violations they name. */
function areSame(live: Outcome, candidate: Outcome): boolean {
  return nameOf(live) === REFUSED ? nameOf(candidate) === REFUSED : isDeepStrictEqual(live, candidate)
}

function programOf(digest: string, document: string): Program {
  const known = programs.get(digest)
  if (known !== undefined) return known
  const { ruleset } = decodeRuleset(jsonValue(document), { isStored: true })
  if (ruleset === undefined) throw new Error(`the content ${digest} is no ruleset`)
  const [oldest] = programs.keys()
  if (programs.size >= MAX_PROGRAMS && oldest !== undefined) programs.delete(oldest)
  // The stubs make every external call fail: nothing leaves the process.
  const program = createProgram(ruleset, stubbedHost({}, HOST))
  programs.set(digest, program)
  return program
}

async function decide(program: Program, input: Value): Promise<Outcome> {
  try {
    const { code, message, output } = await program.execute(input)
    // The same value as read from an answer.
    return jsonValue(stringifyJson({ code, message, output })) as unknown as Decided
  } catch (error) {
    if (error instanceof ContractError)
      return {
        refused: error.violations.slice(0, MAX_SHOWN_VIOLATIONS).map(({ path, rule }) => ({ path, code: rule })),
      }
    if (error instanceof ExecutionError) return null
    throw error
  }
}

/** The input of a request; undefined if it has none or it cannot be parsed. */
function inputOf(request: Told): Value | undefined {
  const body = valueOf(request)
  const input = body !== undefined && isObject(body) ? body['input'] : undefined
  return input !== undefined && isObject(input) ? input : undefined
}

/** The decision in an answer; undefined if it cannot be parsed. */
function decidedIn(answer: ShadowTask['answer']): Outcome | undefined {
  const body = valueOf(answer)
  if (answer.status !== 200) return refusedIn(body)
  if (body === undefined || !isObject(body) || typeof body['code'] !== 'string') return undefined
  const { code, message = null, output = null } = body
  return { code, message, output }
}

/** Null if the ruleset failed for another reason. */
function refusedIn(body: Value | undefined): Outcome {
  if (body === undefined || !isObject(body) || body['code'] !== 'INVALID_INPUT') return null
  const details = body['details']
  const places = details !== undefined && isList(details) ? details.filter((one) => isObject(one)) : []
  return { refused: places.slice(0, MAX_SHOWN_VIOLATIONS).map(({ path = null, code = null }) => ({ path, code })) }
}

function valueOf({ bytes, coding }: Told): Value | undefined {
  try {
    return jsonValue(unfolded(Buffer.from(bytes), coding).toString('utf8'))
  } catch {
    return undefined
  }
}

function unfolded(bytes: Buffer, coding: string | undefined): Buffer {
  const limit = { maxOutputLength: MAX_BYTES }
  switch (coding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, limit)
    case 'zstd':
      return zstdDecompressSync(bytes, limit)
    default:
      return bytes
  }
}
