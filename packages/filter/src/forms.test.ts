import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { blocksOf, decisionForm, filterForm } from './forms.testing.ts'

/**
 * The tables hold the text of each form. `tests/filter` executes such forms in the databases and compares their rows
 * with the rules.
 */
describe.each([
  ['decisions.txt', decisionForm],
  ['filters.txt', filterForm],
] as const)('the forms of %s', (file, formOf) => {
  const blocks = blocksOf(readFileSync(new URL(`forms/${file}`, import.meta.url), 'utf8'))

  test.each(blocks)('$title', ({ source, forms }) => {
    const found = forms.map(([targets]) => [targets, targets.split(', ').map((target) => formOf(source, target))])
    expect(found).toEqual(forms.map(([targets, form]) => [targets, targets.split(', ').map(() => form)]))
  })
})
