import type { RecordingRule } from '@engine/api'
import { type Mask, masked, maskOf, stringifyJson, type Value } from '@engine/expression'
import type { Program } from '@engine/ruleset'
import { bareDigest } from '../catalog/content-digest.ts'
import type { Receipted } from '../receipts/recording.ts'
import type { StoredRuleset } from '../store/store.ts'
import { MAX_SAMPLE, type Samples } from './samples.ts'

/**
 * Keeps a share of the decisions, for engines with `--sample-decisions`. Masking happens here, before a decision is
 * stored.
 */
export interface Recorder {
  /** That of one tenant's rulesets. */
  forTenant(tenant: string | undefined): TenantRecorder
  /** Replaces the rules. */
  follow(rules: readonly RecordingRule[]): void
}

export interface TenantRecorder {
  /** Called when a program was created from a stored ruleset. */
  made(program: Program, stored: StoredRuleset): void
  /** It came to a decision. */
  decided(program: Program, input: Value, code: string, output: Value, receipted?: Receipted): void
}

interface DecidedExecution {
  readonly input: Value
  readonly code: string
  readonly output: Value
  readonly receipted: Receipted | undefined
}

interface Rule {
  /** From 0 to 1. */
  readonly share: number
  readonly mask: Mask
}

/** A content, and the rule for it. */
interface Content {
  readonly key: string
  readonly tenant: string | null
  readonly name: string
  readonly digest: Promise<string>
  rule: Rule | undefined
  /** Generation of the rules in which `rule` was found. */
  generation: number
}

/**
 * @param percent maximum percentage of decisions, regardless of the platform's rules
 * @param random from 0 to 1
 */
export function createRecorder(percent: number, samples: Pick<Samples, 'add'>, random: () => number): Recorder {
  let rules: ReadonlyMap<string, Rule> = new Map()
  let generation = 0

  function ruleOf(content: Content): Rule | undefined {
    if (content.generation !== generation) {
      content.generation = generation
      content.rule = rules.get(content.key)
    }
    return content.rule
  }

  /** Masked immediately, so that nothing else waits for the digest. A decision that is too large is skipped. */
  function keep(
    { tenant, name, digest }: Content,
    { mask }: Rule,
    { input, code, output, receipted }: DecidedExecution,
  ): void {
    // A text of a database has neither.
    if (code.includes('\0') || !code.isWellFormed()) return
    const shownInput = masked(input, mask, MAX_SAMPLE)
    if (shownInput === undefined) return
    const shownOutput = masked(output, mask, MAX_SAMPLE - shownInput.size)
    if (shownOutput === undefined) return
    // With a receipt the clock of the rules is recorded, so that a replay decides by it.
    const [at, size] = [new Date(receipted?.now ?? Date.now()).toISOString(), shownInput.size + shownOutput.size]
    const [inputText, outputText] = [stringifyJson(shownInput.value), stringifyJson(shownOutput.value)]
    const kept = { at, tenant, name, code, input: inputText, output: outputText }
    Promise.all([digest, receipted?.place]).then(
      ([known, receipt]) =>
        samples.add({ ...kept, digest: known, ...(receipt === undefined ? {} : { receipt }) }, size),
      // Unreadable content is not executed, and a decision whose receipt cannot be written is not answered.
      () => {},
    )
  }

  return {
    forTenant(tenant) {
      const contents = new WeakMap<Program, Content>()
      return {
        made(program, stored) {
          const { name } = stored
          const key = keyOf(tenant ?? null, name)
          const digest = bareDigest(stored)
          // Looked at with each sample; until then no failure is one of the process.
          digest.catch(() => {})
          contents.set(program, { key, tenant: tenant ?? null, name, digest, rule: rules.get(key), generation })
        },
        decided(program, input, code, output, receipted) {
          const content = contents.get(program)
          const rule = content && ruleOf(content)
          if (content === undefined || rule === undefined || random() >= rule.share) return
          keep(content, rule, { input, code, output, receipted })
        },
      }
    },
    follow(list) {
      generation++
      rules = new Map(
        list
          .filter(({ rate }) => rate > 0)
          .map(({ tenant, name, rate, mask }) => [
            keyOf(tenant, name),
            { share: Math.min(rate, percent) / 100, mask: maskOf(mask) },
          ]),
      )
    },
  }
}

const keyOf = (tenant: string | null, name: string) => `${tenant ?? ''}/${name}`
