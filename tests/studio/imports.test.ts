import { describe, expect, test } from 'vitest'
import { expectAccess } from './axe.testing.ts'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'

/** A table of GoRules whose result repeats the input. */
const JDM = {
  nodes: [
    { id: 'in', type: 'inputNode', name: 'Request' },
    {
      id: 'fee',
      type: 'decisionTableNode',
      name: 'Fee',
      content: {
        hitPolicy: 'first',
        passThrough: true,
        inputs: [{ id: 'i1', name: 'Total', field: 'total' }],
        outputs: [{ id: 'o1', name: 'Fee', field: 'fee' }],
        rules: [
          { _id: 'r1', i1: '>= 100', o1: '0' },
          { _id: 'r2', i1: '', o1: '5' },
        ],
      },
    },
    { id: 'out', type: 'outputNode', name: 'Response' },
  ],
  edges: [
    { id: 'a', type: 'edge', sourceId: 'in', targetId: 'fee' },
    { id: 'b', type: 'edge', sourceId: 'fee', targetId: 'out' },
  ],
}

const file = (name: string, text: string) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) })

describe.skipIf(CHROMIUM === undefined)('rulesets', () => {
  const studio = useStudio()

  test('come from files: a report by file, then drafts; a file that cannot be read is left out', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets`)
    await page.getByRole('link', { name: 'Import', exact: true }).click()
    await page
      .getByLabel('Choose files')
      .setInputFiles([file('fees.json', JSON.stringify(JDM)), file('broken.dmn', '<definitions')])
    const files = page.getByRole('region', { name: 'Files', exact: true })
    const [jdm, dmn] = [files.getByRole('listitem').nth(0), files.getByRole('listitem').nth(1)]
    expect(await jdm.getByLabel('Format').inputValue()).toBe('jdm')
    expect(await dmn.getByLabel('Format').inputValue()).toBe('dmn')
    await jdm.getByLabel('Name').fill('fees')
    await page.getByRole('button', { name: 'Read the files' }).click()
    const report = page.getByRole('region', { name: 'Report' })
    await report.getByRole('heading', { name: '1 file cannot be imported as it is.' }).waitFor()
    await report.getByRole('row', { name: /^broken\.dmn nothing not run refused$/ }).waitFor()
    await report.getByRole('row', { name: /^fees\.json fees none/ }).waitFor()
    await report.getByText('The file could not be read').waitFor()
    expect(await report.getByRole('button', { name: /^Import \d/ }).isDisabled()).toBe(true)
    await expectAccess(page, 'import')
    await page.getByRole('button', { name: 'Leave out broken.dmn' }).click()
    await page.getByRole('button', { name: 'Read the files' }).click()
    await report.getByRole('button', { name: 'Import 1 ruleset' }).click()
    await page.getByText('1 ruleset was imported as new drafts.').waitFor()
    await page.getByRole('link', { name: 'Open the rulesets' }).click()
    await page.getByRole('link', { name: 'fees', exact: true }).waitFor()
  })

  test('that were deleted are restored', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'There is no ruleset yet' }).waitFor()
    await page.getByRole('link', { name: 'Deleted', exact: true }).click()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('ecommerce_coupon is back among the rulesets.').waitFor()
    await page.getByRole('heading', { name: 'No ruleset was deleted' }).waitFor()
    await expectAccess(page, 'deleted')
    await page.getByRole('link', { name: 'ecommerce_coupon' }).click()
    await page.getByText('11/11 tests').waitFor()
  })

  test('have contracts that are changed in a form, which says what breaks', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/contracts/ecommerce_coupon`)
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    const form = page.getByRole('form', { name: 'Change' })
    await form.getByRole('region', { name: 'Inputs' }).getByRole('button', { name: 'Add field' }).click()
    const inputs = form.getByRole('region', { name: 'Inputs' })
    const last = await inputs.getByLabel(/^Field of field/).count()
    await inputs.getByLabel(`Field of field ${last}`).fill('channel')
    await inputs.getByLabel(`Allowed values of field ${last}`).fill('web, app')
    await form.getByText(/^No caller breaks/).waitFor()
    await inputs.getByLabel(`Required of field ${last}`).check()
    await form.getByText(/^This breaks callers/).waitFor()
    await inputs.getByLabel(`Required of field ${last}`).uncheck()
    await form.getByText(/^No caller breaks/).waitFor()
    await expectAccess(page, 'contract form')
    await form.getByRole('button', { name: /^Use version/ }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Change', exact: true }).waitFor()
    await page.getByRole('cell', { name: 'channel' }).waitFor()
    await page.getByText('"web" | "app"').waitFor()
  })
})
