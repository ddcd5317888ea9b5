import { describe, expect, test } from 'vitest'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'
import { savePriceTable } from './priced.testing.ts'

const PASTED = ['CH\t€ 18', 'not FR\t4,90', 'LI|NO\t20'].join('\n')

describe.skipIf(CHROMIUM === undefined)('a decision table', () => {
  const studio = useStudio()

  test('takes words without quotes, typed and pasted, and decides by them', async () => {
    const project = await newProject(studio.platform())
    await savePriceTable(project, 'prices')
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/prices?view=table&step=prices`)
    const grid = page.getByRole('grid')
    await grid.getByRole('gridcell', { name: 'AT' }).click()
    await page.keyboard.type('IT, ES')
    await page.keyboard.press('Enter')
    await grid.getByRole('gridcell', { name: 'IT, ES' }).waitFor()
    await page.evaluate(`{
      const data = new DataTransfer()
      data.setData('text/plain', ${JSON.stringify(PASTED)})
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
      document.querySelector('[role=grid]').dispatchEvent(event)
    }`)
    await page.getByText('5 rows', { exact: true }).waitFor()
    await page.getByRole('tab', { name: /No problems/ }).waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    const { body } = await project.team.owner.request('GET', `${project.path}/rulesets/prices`)
    const [{ rows }] = body.ruleset.steps
    expect(
      rows.map(({ cells }: { readonly cells: Readonly<Record<string, string>> }) => [cells['c1'], cells['c2']]),
    ).toEqual([
      ['"DE"', '4.9'],
      ['in ["IT", "ES"]', '6.9'],
      ['"CH"', '18'],
      ['!= "FR"', '4.90'],
      ['in ["LI", "NO"]', '20'],
    ])
  })
})
