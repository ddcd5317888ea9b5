import { describe, expect, test } from 'vitest'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'

/** Width of A4 at 96 pixels an inch, without the margins of the browser. */
const PAPER = { width: 718, height: 1010 }

/** Elements that are wider than the paper, or cut at an edge. */
const CUT = `Array.from(document.querySelectorAll('#main *'))
  .filter((one) => one.checkVisibility() && one.closest('svg, .vh') === null && one.getBoundingClientRect().right > ${PAPER.width} + 1)
  .map((one) => one.outerHTML.slice(0, 120))`

describe.skipIf(CHROMIUM === undefined)('on paper', () => {
  const studio = useStudio()

  test('a flow is a map and its steps in words, a table has all rows, a report of tests has no controls', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner, { colorScheme: 'dark' })
    await page.goto(`${project.url}/rulesets/ecommerce_coupon`)
    await page.getByText('11/11 tests').waitFor()
    expect(await page.locator('.printed').count()).toBe(0)

    await page.setViewportSize(PAPER)
    await page.emulateMedia({ media: 'print' })
    const paper = page.locator('.printed')
    await paper.waitFor()
    const { body } = await project.team.owner.request('GET', `${project.path}/rulesets/ecommerce_coupon`)
    const { steps, subRules = {} } = body.ruleset
    const all = [steps, ...Object.values(subRules).map((one) => (one as { steps: unknown[] }).steps)].flat().length
    expect(await paper.locator('.map rect').count()).toBe(all)
    expect(await paper.locator('ol > li').count()).toBe(all)
    await paper.getByRole('listitem').filter({ hasText: 'cart_amount < 30' }).first().waitFor()
    expect(await page.evaluate(CUT)).toEqual([])
    expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false)
    expect(await page.getByRole('region', { name: /^Flow canvas/ }).isVisible()).toBe(false)
    expect(await page.evaluate("getComputedStyle(document.querySelector('.printed')).color")).toBe('rgb(22, 32, 44)')

    await page.emulateMedia({ media: 'screen' })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${project.url}/rulesets/ecommerce_coupon?view=table`)
    const grid = page.getByRole('grid')
    await grid.waitFor()
    await grid.press('ArrowRight')
    await page.evaluate(`(() => {
      const data = new DataTransfer()
      data.setData('text/plain', Array.from({ length: 300 }, (_, row) => '>= ' + row).join('\\n'))
      document.querySelector('[role=grid]').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
    })()`)
    await page.getByText('300 rows', { exact: true }).waitFor()
    await page.setViewportSize(PAPER)
    await page.emulateMedia({ media: 'print' })
    await paper.waitFor()
    expect(await paper.locator('tbody tr').count()).toBe(300)
    expect(await page.evaluate("getComputedStyle(document.querySelector('.printed thead')).display")).toBe(
      'table-header-group',
    )
    expect(await page.evaluate(CUT)).toEqual([])
    const sheets = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g) ?? []
    expect(sheets.length).toBeGreaterThan(4)

    await page.emulateMedia({ media: 'screen' })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${project.url}/tests`)
    await page.getByRole('button', { name: 'Run all tests' }).click()
    await page.getByText('11 of 11').first().waitFor()
    await page.setViewportSize(PAPER)
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('row').count()).toBe(12)
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await page.evaluate(CUT)).toEqual([])
  })
})
