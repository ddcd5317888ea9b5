import { isObject, type Numbers, type ObjectValue, quote, stringifyJson, type Value } from '@engine/expression'
import { type Awaitable, createPauses, jsonText, whenThere } from '@engine/process'
import type { Decision, ExecutionResult, Program } from '@engine/ruleset'
import { EngineError, failures } from '../errors.ts'
import { AskedReceipt } from '../receipts/asked-receipt.ts'
import { type Mapping, type MappingRule, ruleFor } from '../standards/mapping.ts'
import type { AuthzenMapping } from '../standards/standard-files.ts'
import {
  type AccessRequest,
  accessRequestOf,
  evaluationsOf,
  inputOf,
  itemRequestOf,
  objectAt,
  requestBody,
} from './access-request.ts'
import { type BatchItem, type InputRunner, runBatch } from './batch.ts'
import type { AnswerForm, ExecutionService, RunOptions } from './execution.ts'

/** Parses the body of a request again, for a ruleset that computes with decimals. */
export type ReadBody = (numbers: Numbers) => Awaitable<Value>

/** The mapping of a tenant, and the service that executes its rulesets. */
export interface AuthorizationParts extends AuthzenMapping {
  readonly execution: ExecutionService
}

/** A parsed body, and a function that parses it again. */
export interface SentBody {
  /** With numbers as doubles. */
  readonly value: Value
  readonly read: ReadBody
}

/**
 * Decides one access request; returns the JSON text `{"decision", "context"}`. Throws or rejects with an `EngineError`
 * if the request is invalid or the rules fail.
 *
 * @param decides called with the deciding program before it is executed
 */
export function evaluateAccess(
  parts: AuthorizationParts,
  { value, read }: SentBody,
  options: RunOptions,
  decides?: (program: Program) => void,
): Awaitable<string> {
  const { mapping, entities, execution } = parts
  const request = accessRequestOf(requestBody(value))
  const rule = ruleOf(mapping, request)
  if (rule === undefined) return noRule(mapping, request)
  const program = programOf(execution, rule)
  decides?.(program)
  const form = formOf(mapping, rule)
  const { numbers } = program.ruleset.config
  const receipt = askedReceipt(value, execution)
  const decide = (asked: AccessRequest): Awaitable<string> => {
    const input = inputOf(asked, entities, numbers)
    if (receipt === undefined) return execution.execute(rule.ruleset, input, form, options)
    const text = execution.execute(rule.ruleset, input, form, { ...options, receipt })
    return Promise.resolve(text).then((answer) => withReceipt(answer, receipt))
  }
  if (numbers === 'double') return decide(request)
  return whenThere(read(numbers), (exact) => decide(accessRequestOf(requestBody(exact))))
}

/** The receipt that `options.receipt` requests. Throws `EngineError` if the engine keeps no receipts. */
function askedReceipt(body: Value, { keepsReceipts }: ExecutionService): AskedReceipt | undefined {
  if (!isObject(body)) return undefined
  const { options } = body
  if (!isObject(options) || options['receipt'] !== true) return undefined
  if (!keepsReceipts) throw failures.receiptsOff()
  return new AskedReceipt()
}

/** The text of an answer with a receipt in its context, which is the last member. */
async function withReceipt(answer: string, receipt: AskedReceipt): Promise<string> {
  if (answer.endsWith('}}')) return `${await receipt.appendedTo(answer.slice(0, -2))}}}`
  const text = await receipt.text()
  return text === undefined ? answer : `${answer.slice(0, -1)},"context":{"receipt":${text}}}`
}

export function ruleOf(mapping: Mapping, { subject, action, resource }: AccessRequest): MappingRule | undefined {
  return ruleFor(mapping, subject.type, action.name, resource.type)
}

/**
 * The program of a rule. Throws `EngineError` if its ruleset is not stored, which no change of the request can correct.
 */
export function programOf(execution: ExecutionService, { ruleset }: MappingRule): Program {
  const program = execution.find(ruleset)
  if (program !== undefined) return program
  throw new EngineError('execution-failed', `the mapping names the ruleset ${quote(ruleset)}, which is not stored`)
}

function noRule(mapping: Mapping, { subject, action, resource }: AccessRequest): string {
  if (!mapping.context.has('reason')) return '{"decision":false}'
  const reason = `no rule for subject ${quote(subject.type)}, action ${quote(action.name)}, resource ${quote(resource.type)}`
  return stringifyJson({ decision: false, context: { reason } })
}

function formOf(mapping: Mapping, rule: MappingRule): AnswerForm<string, never> {
  return {
    decided: (decided) => textOf(mapping, rule, decided),
    failed(error) {
      throw error
    },
  }
}

/** A decision without evaluated parts is one object for all executions, so its text is cached. */
function textOf(mapping: Mapping, rule: MappingRule, decided: Decision | ExecutionResult): Awaitable<string> {
  const known = rule.texts.get(decided)
  if (known !== undefined) return known
  const answer = answerOf(mapping, rule, decided)
  if (!Object.isFrozen(decided)) return jsonText(answer)
  const text = stringifyJson(answer)
  rule.texts.set(decided, text)
  return text
}

function answerOf({ context }: Mapping, { permit }: MappingRule, { code, message, output }: Decision): ObjectValue {
  const shown: { [key: string]: Value } = {}
  if (context.has('code')) shown['code'] = code
  if (context.has('reason')) shown['reason'] = message
  if (context.has('output') && Object.keys(output).length > 0) shown['output'] = output
  const decision = permit.has(code)
  return Object.keys(shown).length === 0 ? { decision } : { decision, context: shown }
}

/** The decision after which a batch stops; undefined: the batch continues to its end. */
const SEMANTICS: ReadonlyMap<string, boolean | undefined> = new Map([
  ['execute_all', undefined],
  ['deny_on_first_deny', false],
  ['permit_on_first_permit', true],
])

/**
 * Decides many access requests in order; returns the JSON text `{"evaluations": […]}`. A batch without items is a
 * single request.
 */
export async function evaluateAll(parts: AuthorizationParts, sent: SentBody, options: RunOptions): Promise<string> {
  const body = requestBody(sent.value)
  const items = evaluationsOf(body, parts.mapping.maxEvaluations)
  const semantics = objectAt(body['options'], '/options')['evaluations_semantic'] ?? 'execute_all'
  if (typeof semantics !== 'string' || !SEMANTICS.has(semantics))
    throw failures.invalidPart(
      '/options/evaluations_semantic',
      `must be one of ${[...SEMANTICS.keys()].map((name) => quote(name)).join(', ')}`,
    )
  if (items === undefined) return await evaluateAccess(parts, sent, options)
  const last = SEMANTICS.get(semantics)
  const runner = new AccessRunner(parts, sent, body, last, options)
  const { items: results } = await runBatch(runner, [...items.keys()], {
    stopOnError: last !== undefined,
    parallel: true,
    isAbandoned: () => options.signal?.aborted === true,
  })
  return `{"evaluations":[${results.map(({ text }) => text).join(',')}]}`
}

/** The answer to one item of a batch. */
interface AccessItem extends BatchItem {
  readonly text: string
}

/** Decides the items of one batch by index. `failed` marks the decision that ends the batch. */
class AccessRunner implements InputRunner<number, AccessItem> {
  readonly #parts: AuthorizationParts
  readonly #sent: SentBody
  readonly #body: ObjectValue
  readonly #last: boolean | undefined
  readonly #options: RunOptions
  #exact: Awaitable<ObjectValue> | undefined
  readonly pause = createPauses()

  constructor(
    parts: AuthorizationParts,
    sent: SentBody,
    body: ObjectValue,
    last: boolean | undefined,
    options: RunOptions,
  ) {
    this.#parts = parts
    this.#sent = sent
    this.#body = body
    this.#last = last
    this.#options = options
  }

  run(index: number): Awaitable<AccessItem> {
    const { mapping, entities, execution } = this.#parts
    try {
      const request = requestAt(this.#body, index)
      const rule = ruleOf(mapping, request)
      if (rule === undefined) return this.#item(false, noRule(mapping, request), 0)
      const program = programOf(execution, rule)
      const form = this.#formOf(rule)
      const { numbers } = program.ruleset.config
      const receipt = askedReceipt(this.#body, execution)
      const decide = (asked: AccessRequest): Awaitable<AccessItem> => {
        const input = inputOf(asked, entities, numbers)
        if (receipt === undefined) return execution.item(program, input, form, this.#options)
        return this.#receipted(execution.item(program, input, form, { ...this.#options, receipt }), receipt)
      }
      return numbers === 'double'
        ? decide(request)
        : whenThere(this.#exactBody(), (body) => decide(requestAt(body, index)))
    } catch (error) {
      if (!(error instanceof EngineError) || error.code === 'defect') throw error
      return this.#failed(error, 0)
    }
  }

  async #receipted(deciding: Awaitable<AccessItem>, receipt: AskedReceipt): Promise<AccessItem> {
    const item = await deciding
    const text = await withReceipt(item.text, receipt)
    return { ...item, text, size: text.length }
  }

  refused(): AccessItem {
    return this.#failed(
      new EngineError(
        'execution-failed',
        'the answers of this batch are too large: send fewer evaluations per request',
      ),
      0,
    )
  }

  #exactBody(): Awaitable<ObjectValue> {
    return (this.#exact ??= whenThere(this.#sent.read('decimal'), requestBody))
  }

  #formOf(rule: MappingRule): AnswerForm<AccessItem, AccessItem> {
    return {
      decided: (decided, microseconds) =>
        whenThere(textOf(this.#parts.mapping, rule, decided), (text) =>
          this.#item(rule.permit.has(decided.code), text, microseconds),
        ),
      failed: (error, microseconds) => this.#failed(error, microseconds),
    }
  }

  /** A failure denies, and the answer contains its reason. */
  #failed({ code, message }: EngineError, microseconds: number): AccessItem {
    const status = REQUEST_FAULTS.has(code) ? 400 : 500
    const text = stringifyJson({ decision: false, context: { error: { status, message } } })
    return this.#item(false, text, microseconds)
  }

  #item(decision: boolean, text: string, microseconds: number): AccessItem {
    return { text, failed: decision === this.#last, microseconds, size: text.length }
  }
}

/** Errors that the request causes. */
const REQUEST_FAULTS: ReadonlySet<EngineError['code']> = new Set(['invalid-request', 'invalid-input'])

function requestAt(body: ObjectValue, index: number): AccessRequest {
  const { evaluations } = body
  return itemRequestOf(body, Array.isArray(evaluations) ? (evaluations[index] as Value) : undefined)
}
