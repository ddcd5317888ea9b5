import type { DraftRuleset, Problem, WholeContract } from '@engine/authoring'
import type { Value } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import type { Compute } from '../../compute/compute.ts'
import type { Subject } from '../../compute/tasks.ts'
import type { Scope } from '../../database/scope.ts'
import { contractFor } from '../catalog/contract-in-use.ts'
import { contractIn } from '../catalog/repository.ts'
import { copiedContract } from '../catalog/contract-copy.ts'
import { checkWith } from '../drafts/draft-check.ts'
import { subjectWith } from '../drafts/subject.ts'
import { digestOf } from '../engines/contents.ts'
import { suitesOf } from '../test-suites/suites.ts'
import { graphsFor, namesUsed } from '../sub-rules/repository.ts'
import type { Wanted } from './request.ts'

/** A save of a ruleset with all of its current dependencies: later edits do not change it. */
export interface Copy {
  readonly name: string
  readonly fromSeq: number
  readonly version: string
  readonly draftId: string
  /** In the format of engines; undefined if it has errors. */
  readonly document: RulesetDocument | undefined
  readonly digest: string | undefined
  /** In the format of the editor, with the sub-rules that it uses. */
  readonly ruleset: DraftRuleset
  readonly subRules: readonly { readonly id: string; readonly name: string; readonly seq: number }[]
  readonly contract: WholeContract | undefined
  /** Ids of the contract, and of the concepts and facts that it refers to. */
  readonly contractIds: readonly string[]
  readonly suites: readonly { readonly id: string; readonly name: string; readonly cases: Value }[]
  readonly problems: readonly Problem[]
  /** The subject of its test cases. */
  readonly subject: Subject
}

/** Copies a save. */
export async function copyOf(
  compute: Compute,
  scope: Scope,
  project: string,
  { name, draft }: Extract<Wanted, { kind: 'save' }>,
): Promise<Copy> {
  const { ruleset, seq, row } = draft
  const used = await graphsFor(scope, project, namesUsed(ruleset))
  const inUse = await contractFor(scope, project, ruleset)
  const subject = subjectWith(ruleset, used, inUse)
  const { ruleset: document, problems } = await checkWith(compute, ruleset, used, inUse)
  const contractRow = await contractIn(scope, project, ruleset.config.contract ?? ruleset.config.name)
  const copied = inUse && (await copiedContract(scope, project, inUse.contract, inUse.concepts))
  const suites = await suitesOf(scope, [row.id])
  return {
    name,
    fromSeq: seq,
    version: ruleset.config.version ?? '',
    draftId: row.id,
    document,
    digest: document && (await digestOf(document)),
    ruleset: withSubRules(ruleset, subject),
    subRules: Array.from(used, ([of, { id, seq: save }]) => ({ id, name: of, seq: save })),
    contract: copied?.contract,
    contractIds: [...(contractRow === undefined ? [] : [contractRow.id]), ...(copied?.referredIds ?? [])],
    suites: suites.map((suite) => ({ id: suite.id, name: suite.name, cases: suite.cases })),
    problems,
    subject,
  }
}

function withSubRules(ruleset: DraftRuleset, { subRules }: Subject): DraftRuleset {
  return subRules.size === 0
    ? ruleset
    : { ...ruleset, subRules: { ...Object.fromEntries(subRules), ...ruleset.subRules } }
}

/**
 * The digest of everything that reviewers approve: rulesets with their sub-rules, contracts with their concepts and
 * facts, suites, and removals.
 */
export function contentDigest(copies: readonly Copy[], removed: readonly string[]): Promise<string> {
  const rulesets = copies
    .map(({ name, fromSeq, digest, ruleset, contract, suites }) => ({
      name,
      from_seq: fromSeq,
      digest: digest ?? null,
      ruleset,
      contract: contract ?? null,
      suites: suites.map((suite) => ({ name: suite.name, cases: suite.cases })),
    }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
  return digestOf({ rulesets, removed: removed.toSorted() })
}
