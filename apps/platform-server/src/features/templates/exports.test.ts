import { withContractDefaults } from '@engine/authoring'
import { toJdm } from '@engine/interchange'
import { expect, test } from 'vitest'
import { Templates } from './templates.ts'

/** Losses of the rulesets of all templates, by code. */
const LOST: { readonly [ruleset: string]: readonly string[] } = {
  // A power with a computed exponent.
  loan_approval: ['error no-zen', 'warning decimals', 'warning defaults', 'warning number-text', 'warning truth'],
  ecommerce_coupon: ['warning defaults', 'warning truth'],
  fraud_screening: ['warning comparison', 'warning defaults', 'warning truth'],
  motor_premium: ['warning decimals', 'warning defaults', 'warning number-text', 'warning unique'],
  feature_access: [
    'warning comparison',
    'warning decimals',
    'warning defaults',
    'warning order',
    'warning truth',
    'warning unique',
  ],
  shipping_quote: ['warning decimals', 'warning defaults', 'warning order', 'warning truth'],
  vat: ['warning comparison', 'warning decimals', 'warning defaults', 'warning truth'],
  // A comparison of two lists.
  claims_triage: ['error no-zen', 'warning decimals', 'warning defaults', 'warning order', 'warning truth'],
  document_access: ['warning comparison', 'warning defaults', 'warning truth', 'warning unique'],
}

const templates = await new Templates().all()

test.each(
  templates.flatMap(({ archive }) => archive.rulesets.map((draft) => [draft.config.name, draft, archive] as const)),
)(
  'the ruleset %s of a template loses the listed parts in a JSON Decision Model',
  (name, draft, { subRules, contracts }) => {
    const graphs = new Map(subRules.map((one) => [one.name, one.graph]))
    const contract = contracts.find((one) => one.name === draft.config.contract)
    const { document, lost } = toJdm(contract === undefined ? draft : withContractDefaults(draft, contract), graphs)
    expect(document).toBeDefined()
    expect([...new Set(lost.map(({ code, severity }) => `${severity} ${code}`))].toSorted()).toEqual(LOST[name] ?? [])
  },
)
