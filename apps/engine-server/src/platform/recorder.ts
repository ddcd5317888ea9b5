import { type DecisionSample, MASKED_PLACES_OF_CALL, type RecordingRule } from '@engine/api'
import { type Mask, masked, maskAt, maskOf, type ObjectValue, stringifyJson, type Value } from '@engine/expression'
import { MAX_SHOWN_VIOLATIONS, type Program, type Violation } from '@engine/ruleset'
import { bareDigest } from '../catalog/content-digest.ts'
import type { ObservedPrograms, RecordedExecution } from '../receipts/recording.ts'
import type { StoredRuleset } from '../store/store.ts'
import { MAX_SAMPLE, type Samples } from './samples.ts'

/**
 * Keeps a share of the decisions, for engines with `--sample-decisions`. Masking happens here, before a decision is
 * stored.
 */
export interface Recorder {
  /** The recorder for the rulesets of one tenant. */
  forTenant(tenant: string | undefined): TenantRecorder
  /** Replaces the rules. */
  follow(rules: readonly RecordingRule[]): void
}

export interface TenantRecorder extends ObservedPrograms {
  /** Called when a program was created from a stored ruleset. */
  made(program: Program, stored: StoredRuleset): void
  /** False if no program records the answers of external calls. */
  readonly keepsAnswers: boolean
  /** Called after a decision. */
  decided(program: Program, input: Value, code: string, output: Value, recorded?: RecordedExecution): void
  /** Called when the contract of a ruleset refused an input. */
  refused(program: Program, input: Value, violations: readonly Violation[], recorded?: RecordedExecution): void
}

interface EndedExecution {
  readonly input: Value
  readonly outcome: Pick<DecisionSample, 'code' | 'violations'>
  /** Null for a refused input. */
  readonly output: Value
  readonly recorded: RecordedExecution | undefined
}

interface Rule {
  /** Fraction of recorded decisions, from 0 to 1. */
  readonly share: number
  readonly mask: Mask
  /** The mask for external calls; undefined if they are not recorded. */
  readonly callMask: Mask | undefined
}

/** A content and its recording rule. */
interface Content {
  readonly key: string
  readonly tenant: string | null
  readonly name: string
  readonly digest: Promise<string>
  rule: Rule | undefined
  /** Generation of the rules to which `rule` belongs. */
  generation: number
}

/** Limits of the engine, regardless of the platform's rules. */
export interface RecordingLimits {
  /** Maximum percentage of decisions. */
  readonly percent: number
  /** True if external calls may be recorded. */
  readonly keepsAnswers: boolean
}

/** @param random from 0 to 1 */
export function createRecorder(
  { percent, keepsAnswers }: RecordingLimits,
  samples: Pick<Samples, 'add'>,
  random: () => number,
): Recorder {
  let rules: ReadonlyMap<string, Rule> = new Map()
  let generation = 0

  function ruleOf(content: Content): Rule | undefined {
    if (content.generation !== generation) {
      content.generation = generation
      content.rule = rules.get(content.key)
    }
    return content.rule
  }

  /**
   * Masked immediately, so that the original values are not kept until the digest is known. A decision that is too
   * large is skipped.
   */
  function keep(
    { tenant, name, digest }: Content,
    { mask, callMask }: Rule,
    { input, outcome, output, recorded }: EndedExecution,
  ): void {
    const shownInput = masked(input, mask, MAX_SAMPLE)
    if (shownInput === undefined) return
    const shownOutput = masked(output, mask, MAX_SAMPLE - shownInput.size)
    if (shownOutput === undefined) return
    // The time that the rules saw, if known, so that a replay uses the same time.
    const at = new Date(recorded?.now ?? Date.now()).toISOString()
    const used = shownInput.size + shownOutput.size
    const calls =
      outcome.code === undefined
        ? undefined
        : callMask && recorded && callsText(recorded.calls, callMask, MAX_SAMPLE - used)
    const size = used + (calls?.length ?? 0) + sizeOf(outcome.violations)
    const [inputText, outputText] = [stringifyJson(shownInput.value), stringifyJson(shownOutput.value)]
    const texts = { input: inputText, output: outputText, ...(calls !== undefined && { calls }) }
    const kept = { at, tenant, name, ...outcome, ...texts }
    Promise.all([digest, recorded?.place]).then(
      ([known, receipt]) =>
        samples.add({ ...kept, digest: known, ...(receipt === undefined ? {} : { receipt }) }, size),
      // Unreadable content is not executed, and a decision whose receipt cannot be written is not answered.
      () => {},
    )
  }

  return {
    forTenant(tenant) {
      const contents = new WeakMap<Program, Content>()
      const sampled = (program: Program, execution: EndedExecution): void => {
        const content = contents.get(program)
        const rule = content && ruleOf(content)
        if (content !== undefined && rule !== undefined && random() < rule.share) keep(content, rule, execution)
      }
      return {
        keepsAnswers,
        wantsAnswers(program) {
          const content = keepsAnswers ? contents.get(program) : undefined
          return content !== undefined && ruleOf(content)?.callMask !== undefined
        },
        made(program, stored) {
          const { name } = stored
          const key = keyOf(tenant ?? null, name)
          const digest = bareDigest(stored)
          // Awaited with each sample; until then a rejection must not end the process.
          digest.catch(() => {})
          contents.set(program, { key, tenant: tenant ?? null, name, digest, rule: rules.get(key), generation })
        },
        decided(program, input, code, output, recorded) {
          // Text in the platform's database can contain neither a NUL nor a lone surrogate.
          if (code.includes('\0') || !code.isWellFormed()) return
          sampled(program, { input, outcome: { code }, output, recorded })
        },
        refused(program, input, violations, recorded) {
          sampled(program, {
            input,
            outcome: { violations: violations.slice(0, MAX_SHOWN_VIOLATIONS).map(recordedViolation) },
            output: null,
            recorded,
          })
        },
      }
    },
    follow(list) {
      generation++
      rules = new Map(
        list
          .filter(({ rate }) => rate > 0)
          .map((rule) => {
            const mask = maskOf(rule.mask)
            const callMask = keepsAnswers && rule.answers === true ? maskAt(MASKED_PLACES_OF_CALL, mask) : undefined
            return [keyOf(rule.tenant, rule.name), { share: Math.min(rule.rate, percent) / 100, mask, callMask }]
          }),
      )
    },
  }
}

/** A violation without the input value. */
const recordedViolation = ({ path, rule, expected }: Violation) => ({ path, code: rule, expected })

/** Approximate number of characters of violations. */
function sizeOf(violations: DecisionSample['violations'] = []): number {
  return violations.reduce((sum, { path, expected }) => sum + path.length + expected.length, 0)
}

const keyOf = (tenant: string | null, name: string) => `${tenant ?? ''}/${name}`

/** JSON text of external calls; undefined if it is too large: the decision is then kept without them. */
function callsText(calls: RecordedExecution['calls'], mask: Mask, most: number): string | undefined {
  const shown = calls.map((call): ObjectValue => ({
    service: call.service,
    method: call.method,
    parameters: call.parameters,
    // The error message may contain parameter values.
    ...('answer' in call ? { answer: call.answer } : { error: 'failed' }),
  }))
  const copy = masked(shown, mask, most)
  return copy && stringifyJson(copy.value)
}
