import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'
import { violations } from './axe.testing.ts'
import { savePriceTable } from './priced.testing.ts'

describe.skipIf(CHROMIUM === undefined)('next to and below the rules', () => {
  const studio = useStudio()

  test('an input is tried while it is typed, and again when the rules change', async () => {
    const project = await newProject(studio.platform())
    await savePriceTable(project, 'prices')
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/prices?view=table&step=prices`)
    const country = page.locator('.try-line').getByLabel('country')
    await country.fill('AT')
    const result = page.locator('.try-result')
    await result.getByText('row 2').waitFor()
    await result.getByText('PRICED').waitFor()
    await result.getByText('6.9').waitFor()
    expect(await page.locator('.gr[data-hit]').getAttribute('aria-rowindex')).toBe('3')
    await page.getByRole('grid').getByRole('gridcell', { name: '6.9' }).click()
    await page.keyboard.type('7.5')
    await page.keyboard.press('Enter')
    await result.getByText('7.5').waitFor()
    await country.fill('FR')
    await result.getByText('NO_DELIVERY').waitFor()
    await page.getByRole('button', { name: 'Clear the result' }).click()
    await page.getByText('Change a value to see the result').waitFor()
  })

  test('tabs show who changed a row, hold comments on it, and change the version', async () => {
    const project = await newProject(studio.platform())
    await savePriceTable(project, 'prices')
    const at = `${project.path}/rulesets/prices`
    const { body: draft } = await project.team.owner.request('GET', at)
    const [table, ...others] = draft.ruleset.steps
    const rows = [table.rows[0], { ...table.rows[1], cells: { c1: '"AT"', c2: '7.5' } }]
    const ruleset = { ...draft.ruleset, steps: [{ ...table, rows }, ...others] }
    await project.team.owner.request('POST', at, { ruleset, expected_seq: 1 })
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/prices?view=table&step=prices&row=r2`)

    await page.getByRole('tab', { name: 'History' }).click()
    const panel = page.getByRole('tabpanel')
    await panel.getByText('Who changed Price by country, row 2').waitFor()
    const change = panel.getByRole('listitem').filter({ hasText: 'draft 2' })
    await change.getByText('Price by country, row 2, price').waitFor()
    expect(await change.locator('del').innerText()).toContain('6.9')
    expect(await change.locator('ins').innerText()).toContain('7.5')
    expect(await violations(page)).toEqual([])

    // Arrow keys go from tab to tab.
    await page.getByRole('tab', { name: 'History' }).press('ArrowLeft')
    await panel.getByLabel('Comment on Price by country, row 2').fill('Who agreed to this?')
    await panel.getByRole('button', { name: 'Comment', exact: true }).click()
    await panel.getByText('Who agreed to this?').waitFor()
    expect(await violations(page)).toEqual([])
    const { body: comments } = await project.team.owner.request('GET', `${at}/comments`)
    expect(comments.items).toMatchObject([{ place: '/steps/prices/rows/r2', settled: false }])
    await panel.getByRole('button', { name: 'Settle' }).click()
    await panel.getByText('Who agreed to this?').waitFor({ state: 'detached' })
    await panel.getByRole('button', { name: '1 settled comment' }).click()
    await panel.getByRole('button', { name: 'Open again' }).waitFor()

    await page.getByRole('tab', { name: 'Ruleset' }).click()
    await panel.getByLabel('Version').fill('1.1.0')
    await panel.getByLabel('Description').fill('What delivery costs')
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { body: saved } = await project.team.owner.request('GET', at)
    expect(saved.ruleset.config).toMatchObject({ version: '1.1.0', description: 'What delivery costs' })
  })

  test('a fact is renamed with the contracts, rulesets and tests that use it', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/facts`)
    const row = page.getByRole('row', { name: /^cart_amount/ })
    await row.getByRole('button', { name: 'Rename…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('New name').fill('cart.amount')
    await dialog.getByRole('button', { name: 'Show what changes' }).click()
    await dialog.getByText('version 1.0.0 becomes 2.0.0').waitFor()
    await dialog.getByText('3 places, 11 tests').waitFor()
    await dialog.getByRole('button', { name: 'Rename to cart.amount' }).click()
    await page.getByRole('row', { name: /^cart\.amount/ }).waitFor()
    await row.waitFor({ state: 'detached' })
    await page.goto(`${project.url}/rulesets/ecommerce_coupon`)
    await page.getByText('11/11 tests').waitFor()
    await page.getByRole('tab', { name: /No problems/ }).waitFor()
  })

  test('a ruleset is renamed and exported, and shared sub-rules have a page with their users and versions', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    const dialog = page.getByRole('dialog')
    await page.goto(`${project.url}/rulesets`)
    await page.getByRole('button', { name: 'Export' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('ecommerce_coupon.json')
    expect(await readFile(await file.path(), 'utf8')).toContain('May any coupon be given?')
    await page.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByLabel('New name').fill('coupons')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('link', { name: 'coupons', exact: true }).waitFor()

    await page.getByRole('link', { name: 'Sub-rules' }).click()
    await page.getByRole('link', { name: 'customer_class' }).click()
    await page.getByRole('link', { name: 'coupons' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await dialog.getByLabel('Version').fill('1.1.0')
    const json = dialog.getByLabel('Steps, inputs and results as JSON')
    await json.fill((await json.inputValue()).replace('"startStepId"', '"description": "By level", "startStepId"'))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changes of version 1.1.0').waitFor()
    await page.goto(`${project.url}/sub-rules`)
    await page.getByRole('button', { name: 'New sub-rule' }).click()
    await dialog.getByLabel('Name').fill('is_enough')
    await dialog.getByRole('button', { name: 'New sub-rule' }).click()
    await page.getByRole('heading', { name: 'is_enough' }).waitFor()
    await page.getByText('No ruleset uses it yet.').waitFor()
  })
})
