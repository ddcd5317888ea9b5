import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'
import { expectAccess } from './axe.testing.ts'
import { savePriceTable } from './priced.testing.ts'

describe.skipIf(CHROMIUM === undefined)('saved tests', () => {
  const studio = useStudio()

  test('hold the whole result, turn red with another price, and are accepted, renamed and deleted in the editor', async () => {
    const project = await newProject(studio.platform())
    await savePriceTable(project, 'prices')
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/rulesets/prices?view=table&step=prices`)
    const way = page.getByRole('region', { name: 'Way through the rules' })
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await way.getByRole('button', { name: 'Save as test' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name of the test').fill('Germany')
    for (const part of ['Code: "PRICED"', 'Message: "Your price"', 'Output: { "price": 4.9 }'])
      expect(await dialog.getByLabel(part).isChecked()).toBe(true)
    await dialog.getByRole('button', { name: 'Save as test' }).click()
    await page.getByText('1/1 tests').waitFor()
    const at = `${project.path}/rulesets/prices/tests`
    const stored = async () => (await project.team.owner.request('GET', at)).body.items[0].cases
    expect(await stored()).toMatchObject([
      { name: 'Germany', expect: { code: 'PRICED', message: 'Your price', output: { price: 4.9 } } },
    ])

    // The same name again.
    await way.getByRole('button', { name: 'Save as test' }).click()
    await dialog.getByLabel('Name of the test').fill('Germany')
    await dialog.getByRole('button', { name: 'Save as test' }).click()
    await dialog.getByText('There is a test with this name.').waitFor()
    await dialog.getByLabel('Replace the test that has this name').check()
    await dialog.getByRole('button', { name: 'Save as test' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toHaveLength(1)

    // Another price.
    await page.getByRole('gridcell', { name: '4.9' }).click()
    await page.keyboard.type('5.5')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^0\/1 tests/ }).click()
    await page.getByRole('row', { name: 'price 4.9 5.5', exact: true }).waitFor()
    await expectAccess(page, 'a failed test')
    await page.getByRole('button', { name: 'Accept the new result Germany' }).click()
    await page.getByText('1/1 tests').waitFor()
    expect((await stored())[0].expect).toEqual({ code: 'PRICED', message: 'Your price', output: { price: 5.5 } })

    await page.getByRole('button', { name: 'Edit Germany' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Germany, any message')
    await dialog.getByLabel('Message counts').uncheck()
    await expectAccess(page, 'a test that is edited')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Delete the test Germany, any message' }).waitFor()
    expect((await stored())[0]).toMatchObject({
      name: 'Germany, any message',
      expect: { code: 'PRICED', output: { price: 5.5 } },
    })
    await page.getByRole('button', { name: 'Delete the test Germany, any message' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('There is no saved test yet').waitFor()
    expect(await stored()).toEqual([])
  })

  test('are saved as files and read from them', async () => {
    const project = await newProject(studio.platform())
    await savePriceTable(project, 'prices')
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/tests`)
    const card = page
      .getByRole('region', { name: 'prices' })
      .or(page.locator('section', { hasText: 'prices' }))
      .first()
    const read = card.getByLabel(/^Read tests of prices from a YAML or CSV file/)
    await read.setInputFiles({
      name: 'prices.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('suite,name,input,expect\ndefault,to DE,"{""country"": ""DE""}","{""code"": ""PRICED""}"\n'),
    })
    await page.getByRole('cell', { name: 'to DE', exact: true }).waitFor()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save the tests of prices as YAML' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('prices.cases.yaml')
    expect(readFileSync(await saved.path(), 'utf8')).toContain('to DE')

    // An invalid file is refused with the reason. No test changes.
    await read.setInputFiles({ name: 'prices.yaml', mimeType: 'application/yaml', buffer: Buffer.from('cases: 7\n') })
    await page.getByRole('alert').getByText(/cases/).first().waitFor()
    await page.getByRole('cell', { name: 'to DE', exact: true }).waitFor()
  })

  test('are a table with the fields of their inputs, of which many are accepted or deleted', async () => {
    const project = await newProject(studio.platform())
    await savePriceTable(project, 'prices')
    const at = `${project.path}/rulesets/prices/tests`
    for (const [country, price] of Object.entries({ DE: 1, AT: 2 }))
      await project.team.owner.request('POST', at, {
        name: `to ${country}`,
        input: { country, parcel: { weight: 1.5 } },
        expect: { code: 'PRICED', output: { price } },
      })
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/tests`)
    const card = page.getByRole('region', { name: 'prices' })
    await card.getByRole('columnheader').first().waitFor()
    expect(await card.getByRole('columnheader').allTextContents()).toEqual([
      '',
      'Case',
      'country',
      'parcel.weight',
      'Expected',
      'Result',
    ])
    await card.getByLabel('Select to AT').check()
    await page.getByRole('button', { name: 'Run 1 test' }).click()
    await card.getByRole('row', { name: 'price 2 6.9', exact: true }).waitFor()
    await page.getByText('0 of 1 test passes', { exact: true }).first().waitFor({ state: 'attached' })
    // What all tests reach is not known yet.
    const coverage = page.locator('.card > header', { hasText: 'prices' }).locator('.tag')
    expect(await coverage.count()).toBe(0)
    await page.getByRole('button', { name: 'Run all tests' }).click()
    await coverage.first().waitFor()
    await card.getByLabel('Select all').check()
    await page.getByRole('button', { name: 'Accept 2 new results' }).click()
    const stored = async () => (await project.team.owner.request('GET', at)).body.items[0].cases
    await expect.poll(async () => (await stored())[1].expect).toEqual({ code: 'PRICED', output: { price: 6.9 } })
    expect((await stored())[0].expect).toEqual({ code: 'PRICED', output: { price: 4.9 } })
    // The selection ends when all results are accepted.
    await page.getByRole('button', { name: 'Accept 2 new results' }).waitFor({ state: 'hidden' })
    await card.getByLabel('Select all').check()
    await page.getByRole('button', { name: 'Run 2 tests' }).click()
    await page.getByText('13 of 13 tests pass', { exact: true }).first().waitFor({ state: 'attached' })
    await card.getByLabel('Select all').uncheck()
    await card.getByLabel('Select to DE').check()
    await page.getByRole('button', { name: 'Delete 1 test' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect.poll(async () => (await stored()).length).toBe(1)
  })

  test('of one ruleset run alone, failed ones first, beside the parts that no test reaches', async () => {
    const project = await newProject(studio.platform())
    await savePriceTable(project, 'prices')
    for (const [country, price] of Object.entries({ DE: 4.9, AT: 2 }))
      await project.team.owner.request('POST', `${project.path}/rulesets/prices/tests`, {
        name: `to ${country}`,
        input: { country, parcel: { weight: 1.5 } },
        expect: { code: 'PRICED', output: { price } },
      })
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/tests`)
    await page.getByLabel('Ruleset').selectOption('prices')
    await page.getByRole('heading', { name: 'Tests of prices' }).waitFor()
    const rest = page.getByRole('region', { name: 'Not covered' })
    const items = rest.getByRole('listitem')
    await items.first().waitFor()
    const before = await items.count()

    await page.getByRole('button', { name: 'Run all tests' }).click()
    await page.getByText('1 of 2 tests pass', { exact: true }).first().waitFor()
    expect(await page.getByRole('cell', { name: /^to / }).allTextContents()).toEqual(['to AT', 'to DE'])
    await expectAccess(page, 'the tests of one ruleset')

    // The link opens the editor with an input that reaches the part.
    await items.first().getByRole('link', { name: 'Create a test' }).click()
    await page
      .getByRole('region', { name: 'Way through the rules' })
      .getByRole('button', { name: 'Save as test' })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name of the test').fill('a further row')
    await dialog.getByRole('button', { name: 'Save as test' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.goto(`${project.url}/tests?ruleset=prices`)
    await page.getByRole('cell', { name: 'a further row', exact: true }).waitFor()
    await expect.poll(() => items.count()).toBeLessThan(before)
  })

  test('of a draft with problems stand without the parts that no test reaches: nothing is known of them', async () => {
    const project = await newProject(studio.platform())
    const ruleset = {
      config: { name: 'broken', version: '1.0.0' },
      startStepId: 'start',
      steps: [{ id: 'start', type: 'decision', branches: [{ id: 'b', condition: 'amount >', nextStepId: 'end' }] }],
    }
    const body = { ruleset, expected_seq: 0 }
    expect((await project.team.owner.request('POST', `${project.path}/rulesets/broken`, body)).status).toBe(201)
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/tests?ruleset=broken`)
    await page.getByText('No case yet').waitFor()
    await page.getByRole('region', { name: 'Not covered' }).waitFor({ state: 'detached' })
  })
})
