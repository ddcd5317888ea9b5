import { describe, expect, test } from 'vitest'
import { made } from '../platform/team.testing.ts'
import { CHROMIUM, newProject, type StudioProject, useStudio } from './browser.testing.ts'

const ROWS = 400

const table = {
  id: 'rates',
  name: 'Rates',
  type: 'table',
  hitPolicy: 'first',
  columns: [
    { id: 'a', kind: 'input', field: 'amount' },
    { id: 'b', kind: 'output', field: 'rate' },
  ],
  rows: Array.from({ length: ROWS }, (_, index) => ({ id: `r${index}`, cells: { a: `>= ${index}`, b: `${index}` } })),
  nextStepId: 'known',
  defaultNextStepId: 'none',
}
const end = (id: string, code: string) => ({ id, type: 'terminal', code })

/** A regular expression leads to the table, everything else to a sub-rule with such a limit. */
const ruleset = (limit: number, extra: object = {}) => ({
  config: { name: 'rates', version: '1.0.0' },
  startStepId: 'which',
  steps: [
    {
      id: 'which',
      type: 'decision',
      branches: [{ id: 'x', condition: String.raw`matches(code, "^A\\d+$")`, nextStepId: 'rates' }],
      defaultNextStepId: 'use',
    },
    table,
    { id: 'use', name: 'Taxed', type: 'sub_rule', refName: 'tax', nextStepId: 'none' },
    end('known', 'KNOWN'),
    end('none', 'NONE'),
  ],
  subRules: {
    tax: {
      startStepId: 'above',
      steps: [
        {
          id: 'above',
          type: 'decision',
          branches: [{ id: 'x', condition: `amount > ${limit}`, nextStepId: 'out' }],
          defaultNextStepId: 'out',
        },
        end('out', 'OUT'),
      ],
    },
    ...extra,
  },
})

async function newRates(project: StudioProject): Promise<string> {
  const { team, path } = project
  await made(team.owner.request('POST', `${path}/rulesets/rates`, { ruleset: ruleset(50), expected_seq: 0 }))
  return `${project.url}/rulesets/rates`
}

describe.skipIf(CHROMIUM === undefined)('an address of the studio', () => {
  const studio = useStudio()

  test('leads to a row of a table, and names the row that is selected', async () => {
    const project = await newProject(studio.platform())
    const address = await newRates(project)
    const page = await studio.open(project.team.owner)
    await page.goto(`${address}?view=table&step=rates&row=r300`)
    const selected = page.locator('.gr', { has: page.locator('[data-active]') })
    await selected.getByText('from 300').waitFor()
    expect(await selected.getAttribute('aria-rowindex')).toBe('302')
    await page.getByRole('grid').press('ArrowDown')
    await expect.poll(() => new URL(page.url()).searchParams.get('row')).toBe('r301')
    await page.reload()
    await selected.getByText('from 301').waitFor()
    // Rows keep their elements: far away there are no more of them, and each has its own place.
    await page.getByRole('grid').press('Control+End')
    await selected.getByText('from 399').waitFor()
    const places = await page
      .locator('.gr')
      .evaluateAll((rows: readonly { getAttribute(name: string): string | null }[]) =>
        rows.map((row) => row.getAttribute('aria-rowindex')),
      )
    expect(new Set(places).size).toBe(places.length)
    expect(places.length).toBeLessThan(80)
  })

  test('leads to a run: of a saved case by its id, of another input when its reader links it', async () => {
    const project = await newProject(studio.platform())
    const address = await newRates(project)
    const page = await studio.open(project.team.owner)
    await page.goto(address)
    await page.getByRole('tab', { name: /No problems/ }).waitFor()
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByRole('button', { name: 'JSON', exact: true }).click()
    await page.getByRole('textbox', { name: 'JSON' }).fill('{"code": "A7", "amount": 12}')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const way = page.getByRole('region', { name: 'Way through the rules' })
    await way.getByText('KNOWN').first().waitFor()
    expect(new URL(page.url()).searchParams.has('run')).toBe(false)
    await way.getByRole('button', { name: 'Link to this run' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('run')).toContain('A7')
    await page.reload()
    await way.getByText('KNOWN').first().waitFor()
    await page.getByRole('button', { name: 'Clear the result' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.has('run')).toBe(false)
    await page.goto(`${project.url}/rulesets/ecommerce_coupon`)
    await page.getByText('11/11 tests').waitFor()
    await page.getByRole('button', { name: '11/11 tests' }).click()
    await page.locator('.test-table .test-name').nth(2).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('run')).not.toBeNull()
    const code = await page.locator('.try-result .code-tag').textContent()
    await page.reload()
    await way
      .getByText(code ?? '')
      .first()
      .waitFor()
  })

  test('leads to a case among the tests, and from there to its run', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/tests`)
    const row = page.getByRole('row').nth(8)
    await row.getByRole('link').first().click()
    await expect.poll(() => new URL(page.url()).searchParams.get('case')).not.toBeNull()
    await page.reload()
    const marked = page.locator('tr[aria-current]')
    await marked.waitFor()
    const [name, code] = await Promise.all([
      marked.getByRole('link').first().textContent(),
      marked.locator('td[data-title=Expected] code').textContent(),
    ])
    expect(await row.getByRole('link').first().textContent()).toBe(name)
    await marked.getByRole('link', { name: /^Open .* in the editor$/ }).click()
    const way = page.getByRole('region', { name: 'Way through the rules' })
    await way
      .getByText(code ?? '')
      .first()
      .waitFor()
  })

  test('leads to a sub-rule of two saves, one of which may lack it', async () => {
    const project = await newProject(studio.platform())
    const address = await newRates(project)
    const { team, path } = project
    const other = { startStepId: 'out', steps: [end('out', 'OUT')] }
    const changed = { ruleset: ruleset(60, { other }), expected_seq: 1 }
    const { status, text } = await team.owner.request('POST', `${path}/rulesets/rates`, changed)
    expect(status, text).toBe(200)
    const page = await studio.open(team.owner)
    await page.goto(`${address}/compare`)
    const graphs = page.getByRole('combobox', { name: 'Ruleset or sub-rule' })
    await graphs.waitFor()
    expect(await graphs.locator('option').allTextContents()).toEqual([
      'rates (the same)',
      'other (1 step differs)',
      'tax (1 step differs)',
    ])
    await graphs.selectOption('tax')
    await expect.poll(() => new URL(page.url()).searchParams.get('in')).toBe('tax')
    await page.reload()
    await page.getByText('1 difference', { exact: true }).waitFor()
    await expect.poll(() => page.locator('.nd[data-change="changed"]').count()).toBe(2)
    await page.goBack()
    await page
      .getByRole('region', { name: /^Before/ })
      .locator('.nd')
      .first()
      .waitFor()
    await graphs.selectOption('other')
    await page.locator('.nd[data-change="added"]').waitFor()
    expect(
      await page
        .getByRole('region', { name: /^Before/ })
        .locator('.nd')
        .count(),
    ).toBe(0)
  })
})
