import { toJdm } from '@engine/interchange'
import { expect, test } from 'vitest'
import { Templates } from './templates.ts'

/** Losses of the rulesets of all templates, by code. */
const LOST: { readonly [ruleset: string]: readonly string[] } = {}

const templates = await new Templates().all()

test.each(
  templates.flatMap(({ archive }) => archive.rulesets.map((draft) => [draft.config.name, draft, archive] as const)),
)('the ruleset %s of a template loses in a JSON Decision Model what is listed', (name, draft, { subRules }) => {
  const graphs = new Map(subRules.map((one) => [one.name, one.graph]))
  const { document, lost } = toJdm(draft, graphs)
  expect(document).toBeDefined()
  expect([...new Set(lost.map(({ code, severity }) => `${severity} ${code}`))].toSorted()).toEqual(LOST[name] ?? [])
})
