import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectAccess } from './axe.testing.ts'
import { CHROMIUM, newProject, PASSWORD, useStudio } from './browser.testing.ts'
import { serving } from './engine.testing.ts'
import { savePriceTable } from './priced.testing.ts'

const run = promisify(execFile)

/** A table as people keep it in a spreadsheet: no quotes, ranges, decimal commas, currencies. */
const SHEET = [
  'Country\tWeight (kg)\tMember level\tPrice (€)',
  'DE\tup to 2\tgold\t0',
  'DE\tup to 2\tsilver\t2,90',
  'DE\tup to 2\t-\t4,90',
  'DE\t2-10\tgold\t2,90',
  'DE\t2-10\tsilver\t4,90',
  'DE\t<= 10\tany\t6,90',
  'FR\t<= 2\tgold\t3,9',
  'FR\t<= 2\tany\t7,9',
  'FR\t<= 10\tany\t12,9',
  'AT\t2-5\tgold\t4',
  'AT\tup to 5\tany\t8',
  'US\t<= 2\tany\t€ 19.90',
  'US\tany\tgold\t25',
  'CH\tany\tany\t€ 18',
  'CH\tover 30\tgold\t25',
].join('\n')

const pasteInto = (page: Page, text: string) =>
  page.evaluate(`{
    const data = new DataTransfer()
    data.setData('text/plain', ${JSON.stringify(text)})
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
    document.querySelector('[role=grid]').dispatchEvent(event)
  }`)

/** The most actions (clicks, fields, keys) from the sign-in to a request that decides. */
const MAX_ACTIONS = 30

describe.skipIf(CHROMIUM === undefined)('a table of one’s own', () => {
  const studio = useStudio()

  test(`comes from a spreadsheet to a request that decides in ${MAX_ACTIONS} actions`, async () => {
    const project = await newProject(studio.platform())
    const { engine } = await serving(studio.platform(), project, 'dev')
    const page = await studio.openStranger()
    await page.goto(`${studio.platform().publicUrl}/sign-in`)
    let actions = 0
    const click = async (target: Locator) => {
      actions++
      await target.click()
    }
    const fill = async (target: Locator, text: string) => {
      actions++
      await target.fill(text)
    }
    const dialog = page.getByRole('dialog')
    await fill(page.getByLabel('E-mail'), project.team.owner.email)
    await fill(page.getByLabel('Password', { exact: true }), PASSWORD)
    await click(page.getByRole('button', { name: 'Sign in' }))

    await click(page.getByRole('link', { name: 'New ruleset' }))
    await click(page.getByRole('button', { name: 'New ruleset' }))
    await fill(dialog.getByLabel('Name'), 'shipping_price')
    actions++
    await dialog.getByLabel('Start with').selectOption('A decision table')
    await click(dialog.getByRole('button', { name: 'New ruleset' }))

    await click(page.getByRole('grid').getByRole('gridcell').first())
    actions++
    await pasteInto(page, SHEET)
    await page.getByRole('heading', { name: 'Paste 15 rows and 4 columns' }).waitFor()
    await expectAccess(page, 'the assistant')
    await click(page.getByRole('button', { name: 'Paste 15 rows' }))
    await page.getByText('15 rows', { exact: true }).waitFor()
    await page.getByRole('tab', { name: /No problems/ }).waitFor()

    await click(page.getByRole('button', { name: 'Saved tests' }))
    await click(page.getByRole('button', { name: /^Create a test .*row 1$/ }))
    await fill(dialog.getByLabel('Name of the test'), 'Germany, light, gold')
    await click(dialog.getByRole('button', { name: 'Save as test' }))
    await page.getByText('1/1 tests').waitFor()
    await click(page.getByRole('button', { name: 'Save', exact: true }))
    await click(page.getByRole('button', { name: 'Publish' }))
    await click(dialog.getByRole('button', { name: 'Publish' }))
    await page.getByText('Published: the engines').waitFor()
    actions++
    await page.keyboard.press('Escape')

    await click(page.getByRole('link', { name: 'Integrate' }))
    actions++
    await page.getByLabel('Ruleset').selectOption('shipping_price')
    const curl = await page.getByRole('region', { name: 'curl', exact: true }).innerText()
    actions++ // It is copied.
    await click(page.locator('.page').getByRole('link', { name: /keys/i }))
    await click(page.getByRole('button', { name: 'New key' }))
    await fill(dialog.getByLabel('Name'), 'shop')
    await click(dialog.getByRole('button', { name: 'New key' }))
    const key = (await dialog.locator('pre, code').first().innerText()).trim()
    actions++ // It is copied, too.
    expect(actions).toBeLessThanOrEqual(MAX_ACTIONS)

    const { body: environment } = await project.team.owner.request('GET', `${project.path}/environments/dev`)
    const headers = { 'x-tenant-id': environment.id }
    const held = () => engine.request('GET', '/api/v1/rulesets/shipping_price', { headers })
    await expect.poll(async () => (await held()).status).toBe(200)
    const { stdout } = await run('sh', ['-c', curl], { env: { ...process.env, ENGINE_API_KEY: key } })
    expect(JSON.parse(stdout)).toMatchObject({ code: 'DECIDED', output: { price: 0 } })
  })

  test('shows what no row takes and what is never reached, and settles both', async () => {
    const project = await newProject(studio.platform())
    await savePriceTable(project, 'prices')
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/prices?view=table&step=prices`)
    const grid = page.getByRole('grid')
    await grid.getByRole('gridcell', { name: 'AT' }).click()
    await page.keyboard.type('DE')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: /2 findings/ }).click()
    const list = page.getByRole('region', { name: 'Findings' })
    await list.getByText('Each input that would match is taken before: row 1.').waitFor()
    await grid.getByText('Never reached. Each input').waitFor({ state: 'attached' })
    await expectAccess(page, 'the findings')
    const shadowed = list.getByRole('listitem').filter({ hasText: 'row 2: Never reached' })
    await shadowed.getByRole('button', { name: 'Intended…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('for next year')
    await dialog.getByRole('button', { name: 'Mark as intended' }).click()
    await shadowed.waitFor({ state: 'detached' })
    await list.getByRole('button', { name: '1 finding is marked as intended' }).click()
    await list.getByText('for next year').waitFor()
    await list.getByRole('button', { name: 'Show it again' }).click()
    await shadowed.getByRole('button', { name: 'Delete row' }).click()
    await shadowed.waitFor({ state: 'detached' })

    await list.getByRole('button', { name: 'Run' }).click()
    const way = page.getByRole('region', { name: 'Way through the rules' })
    await way.getByText('NO_DELIVERY').first().waitFor()
    const whyNot = way.getByLabel('Why not: Another result')
    const [, other] = await whyNot.getByRole('option').allTextContents()
    await whyNot.selectOption(other ?? '')
    await way.getByText(`The smallest change that leads to ${other}:`).waitFor()
    await page.getByRole('button', { name: 'Add a row' }).first().click()
    await page.getByText('Some inputs match no row').first().waitFor({ state: 'detached' })
  })

  test('says that an analysis failed, and why', async () => {
    const project = await newProject(studio.platform())
    await savePriceTable(project, 'prices')
    const page = await studio.open(project.team.owner)
    const failing = `addEventListener('message', ({ data: { id } }) => postMessage({ id, kind: 'failed', message: 'out of memory' }))`
    await page.route('**/assets/analysis.worker*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: failing }),
    )
    await page.goto(`${project.url}/rulesets/prices?view=table&step=prices`)
    await page.getByRole('tab', { name: /Analysis failed/ }).click()
    const list = page.getByRole('region', { name: 'Findings' })
    await list.getByRole('alert').getByText('The findings could not be determined: out of memory.').waitFor()
  })

  test('has columns with labels, units and types, is sorted and filtered as a view, searched and filled', async () => {
    const project = await newProject(studio.platform())
    await savePriceTable(project, 'prices')
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/prices?view=table&step=prices`)
    const grid = page.getByRole('grid')
    await grid.getByRole('gridcell', { name: '4.9' }).click()
    await page.getByRole('button', { name: 'Column', exact: true }).click()
    const menu = page.getByRole('dialog', { name: /^Column / })
    await menu.getByLabel('Label').fill('Fee')
    await menu.getByLabel('Unit').fill('EUR')
    await menu.getByLabel('Variable').fill('fee')
    await menu.getByLabel('Variable').press('Enter')
    await menu.getByLabel('Type').selectOption('number')
    await expectAccess(page, 'the menu of a column')
    await page.keyboard.press('Escape')
    await grid.getByRole('columnheader', { name: /Fee.*number, EUR/ }).waitFor()

    await page.getByRole('button', { name: 'Menu of the column Fee' }).click()
    await page.getByRole('button', { name: 'Sort descending' }).click()
    await page.getByText('2 of 2 rows, in another order or filtered. The rules are unchanged.').waitFor()
    const first = grid.getByRole('row').nth(1)
    expect(await first.innerText()).toContain('AT')
    expect(await first.getByRole('rowheader').innerText()).toBe('2')
    await page.getByRole('button', { name: 'Show all' }).click()

    await grid.click()
    await page.keyboard.press('Control+f')
    const find = page.getByRole('search', { name: 'Find in the table' })
    await find.getByLabel('Find', { exact: true }).fill('de')
    await find.getByLabel('Replace by').fill('NL, BE')
    await find.getByRole('button', { name: 'Replace all' }).click()
    await grid.getByRole('gridcell', { name: 'NL, BE' }).waitFor()
    await find.getByRole('button', { name: 'Close' }).click()

    await page.getByLabel('Rows that count').selectOption('All matching rows, their sum')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    const { body } = await project.team.owner.request('GET', `${project.path}/rulesets/prices`)
    const [table, done] = body.ruleset.steps
    expect(table).toMatchObject({
      hitPolicy: 'collect',
      aggregate: 'sum',
      columns: [{ field: 'country' }, { field: 'fee', label: 'Fee', unit: 'EUR', type: 'number' }],
    })
    expect(table.rows.map(({ cells }: { readonly cells: { readonly c1: string } }) => cells.c1)).toEqual([
      'in ["NL", "BE"]',
      '"AT"',
    ])
    expect(done.output).toEqual([{ name: 'price', value: '$fee' }])
  })
})
