import { type ObjectValue, type Value, writeJson } from '@engine/expression'
import { inTurns, systemReason, whenThere, type Awaitable } from '@engine/process'
import { commitmentOf, createSalt, type Evidence, receiptOf, type SaltedText, separateFields } from '@engine/receipts'
import { type Decision, ExecutionError, type Program } from '@engine/ruleset'
import { CANONICAL_FORM } from '@engine/signing'
import { failures } from '../errors.ts'
import type { Hops } from '../capabilities/hops.ts'
import type { Span } from '@engine/process'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'
import type { StoredRuleset } from '../store/store.ts'
import { evidenceLine } from './archive.ts'
import type { AskedReceipt } from './asked-receipt.ts'
import type { DecidingContent, KeptContents } from './contents.ts'
import type { ReceiptKeeper } from './keeper.ts'
import { ExecutionRecording } from './recording.ts'

/** Receipts for the decisions of one tenant. */
export interface TenantReceipts {
  /** True if every decision gets a receipt, not only those that request one. */
  readonly keepsAll: boolean
  /** Registers the content of a program of a stored ruleset. */
  made(program: Program, stored: StoredRuleset): void
  /**
   * Called before an execution. Undefined if there is no receipt, because receipts cannot be written and decisions
   * continue. Throws `EngineError` if decisions are refused in that case.
   */
  begin(span: Span | undefined, hops: Hops): ExecutionRecording | undefined
  /** Adds an execution to the log. Resolves to its place in the log. */
  ended(
    program: Program,
    recording: ExecutionRecording,
    execution: EndedExecution,
    asked: AskedReceipt | undefined,
  ): Promise<string | undefined>
}

/** An execution that reached a decision or failed. */
export interface EndedExecution {
  readonly input: ObjectValue
  readonly outcome: Decision | { readonly error: unknown }
}

/** Longest text written in one piece, in characters. */
const MAX_PIECE_CHARACTERS = 64 * 1024

export function createTenantReceipts(
  keeper: ReceiptKeeper,
  contents: KeptContents,
  tenant: string = DEFAULT_TENANT,
): TenantReceipts {
  const stored = new WeakMap<Program, StoredRuleset>()
  const { keepsAll, keepsEvidence } = keeper.settings

  function contentOf(program: Program): Awaitable<DecidingContent> {
    const known = stored.get(program)
    if (known === undefined) throw new TypeError('a program of no stored ruleset has no receipts')
    return contents.of(known)
  }

  /**
   * The content must be on disk before a decision by it can be proved. Undefined if it cannot be written and decisions
   * continue.
   */
  async function keptContent(program: Program): Promise<DecidingContent | undefined> {
    try {
      return await contentOf(program)
    } catch (cause) {
      const reason = systemReason(cause)
      if (reason === undefined) throw cause
      if (!keeper.settings.continuesOnFailure) throw failures.receiptsUnavailable(reason)
      keeper.lose()
      return undefined
    }
  }

  async function evidenceOf(
    { ruleset }: Program,
    { input, outcome }: EndedExecution,
    calls: Value | undefined,
  ): Promise<Evidence> {
    const { receiptFields } = ruleset.config
    const separated = receiptFields.length === 0 ? { input, fields: undefined } : separateFields(input, receiptFields)
    const parts: { -readonly [Part in keyof Evidence]: Evidence[Part] } = { input: await salted(separated.input) }
    if (!('error' in outcome)) {
      parts.output = await salted(outcome.output)
      parts.message = await salted(outcome.message)
    }
    if (calls !== undefined) parts.calls = await salted(calls)
    if (separated.fields !== undefined && Object.keys(separated.fields).length > 0) parts.fields = separated.fields
    return parts
  }

  return {
    keepsAll,
    made: (program, content) => void stored.set(program, content),
    begin(span, hops) {
      if (!keeper.admits()) return undefined
      return new ExecutionRecording(span, hops, Date.now())
    },
    async ended(program, recording, execution, asked) {
      const content = await keptContent(program)
      if (content === undefined) return undefined
      const uses: { digest: string; name: string }[] = []
      for (const used of recording.used) {
        const reached = await keptContent(used)
        if (reached === undefined) return undefined
        uses.push({ digest: reached.digest, name: used.ruleset.config.name })
      }
      const calls = recording.calls
      const { outcome } = execution
      const evidence = await evidenceOf(program, execution, calls.length === 0 ? undefined : calls)
      const seq = keeper.add(
        {
          parts: content.parts,
          now: recording.now,
          outcome:
            'error' in outcome
              ? { error: failureCode(outcome.error) }
              : {
                  code: outcome.code,
                  message: commitment(evidence.message),
                  output: commitment(evidence.output),
                },
          tenant,
          trust: {
            calls: evidence.calls === undefined ? '' : commitmentOf(evidence.calls),
            input: commitment(evidence.input),
          },
          uses,
        },
        (place) => (keepsEvidence ? evidenceLine(place, evidence) : ''),
      )
      asked?.kept(
        keeper.signed().then((signed) => receiptOf(signed, seq, evidence)),
        sizeOf(evidence),
      )
      return `${keeper.instance}#${seq}`
    },
  }
}

const commitment = (part: SaltedText | undefined): string => (part === undefined ? '' : commitmentOf(part))

function salted(value: Value): Awaitable<SaltedText> {
  const writing = writeJson(value, { form: CANONICAL_FORM })
  const text = writing.advance(MAX_PIECE_CHARACTERS) ?? inTurns(writing)
  return whenThere(text, (written): SaltedText => [createSalt(), written])
}

/** The error code that a repeated execution returns. */
function failureCode(error: unknown): string {
  if (error instanceof ExecutionError) return error.code
  return error instanceof RangeError ? 'nested-too-deeply' : 'defect'
}

function sizeOf({ input, output, message, calls, fields = {} }: Evidence): number {
  let size = 0
  for (const part of [input, output, message, calls, ...Object.values(fields)]) size += part?.[1].length ?? 0
  return size
}
