import type { Value } from '@engine/expression'
import {
  type ConformanceData,
  dataOf,
  decidedOtherwise,
  type DraftCase,
  evaluatedOtherwise,
  type ExpressionCase,
  type RulesetCase,
  settingOf,
  type TableCase,
} from './conformance-data.testing.ts'
import { draftOfTable } from './draft-of-table.testing.ts'
import { byProduct, programsOf, programsOfDraft } from './product.testing.ts'

/** The texts of files of `conformance/`, and of the ruleset that others call. */
interface Texts {
  readonly expressions: string
  readonly rulesets: string
  readonly draft: string
  readonly table: string
  readonly numbers: string
  readonly other: string
}

/** The differences between a browser and the cases, and the number of cases. */
function runCases(texts: Texts): { readonly count: number; readonly wrong: readonly string[] } {
  const expressions = dataOf<ConformanceData<ExpressionCase>>(texts.expressions).cases
  const rulesets = dataOf<ConformanceData<RulesetCase>>(texts.rulesets).cases
  const drafts = dataOf<ConformanceData<DraftCase>>(texts.draft).cases
  const tables = dataOf<ConformanceData<TableCase>>(texts.table).cases
  const decimals = dataOf<ConformanceData<RulesetCase>>(texts.numbers, 'decimal').cases
  const others = new Map([['other', JSON.parse(texts.other) as Value]])
  const wrong = [
    ...evaluatedOtherwise(expressions, (one) => byProduct(one.expression, settingOf(one))),
    ...[...rulesets, ...decimals].flatMap(({ ruleset, inputs }) =>
      decidedOtherwise(programsOf(ruleset, others), inputs),
    ),
    ...drafts.flatMap(({ draft, inputs }) => decidedOtherwise(programsOfDraft(draft), inputs)),
    ...tables.flatMap(({ table, inputs }) => decidedOtherwise(programsOfDraft(draftOfTable(table)), inputs)),
  ]
  return { count: expressions.length + rulesets.length + drafts.length + tables.length + decimals.length, wrong }
}

Object.assign(globalThis, { runCases })
