import { describe, expect, test } from 'vitest'
import { expectAccess } from './axe.testing.ts'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'
import { serving } from './engine.testing.ts'
import { savePriceTable } from './priced.testing.ts'

describe.skipIf(CHROMIUM === undefined)('recorded decisions', () => {
  const studio = useStudio()

  /** A project with recorded decisions, whose draft has a higher limit. */
  const recorded = async () => {
    const platform = studio.platform()
    const project = await newProject(platform)
    const { team, path } = project
    const ask = team.owner.request
    await serving(platform, project, 'dev', '--sample-decisions', '100')
    await ask('PUT', `${path}/environments/dev/recording`, { rate: 100, retention_days: 30, mask: [] })
    await ask('POST', `${path}/rulesets/ecommerce_coupon/publish`, { environment: 'dev' })
    const [{ cases }] = (await ask('GET', `${path}/rulesets/ecommerce_coupon/tests`)).body.items
    const decide = (input: object) =>
      ask('POST', `/api/v1/engine/${project.id}/execute/ecommerce_coupon`, { input }, { 'x-environment': 'dev' })
    const kept = async () => {
      for (const { input } of cases) await decide(input)
      return (await ask('GET', `${path}/rulesets/ecommerce_coupon/decisions`)).body.items.length
    }
    await expect.poll(kept, { interval: 1000 }).toBeGreaterThan(20)
    const { ruleset } = (await ask('GET', `${path}/rulesets/ecommerce_coupon`)).body
    const text = JSON.stringify(ruleset).replaceAll('cart_amount < 30', 'cart_amount < 1000')
    expect(text).toContain('cart_amount < 1000')
    await ask('POST', `${path}/rulesets/ecommerce_coupon`, { ruleset: JSON.parse(text), expected_seq: 1 })
    const decideAll = async () => {
      for (const { input } of cases) await decide(input)
    }
    return { project, team, decideAll }
  }

  test('are charted, filtered, replayed against the draft, saved as tests, and printed', async () => {
    const { project, team } = await recorded()
    const page = await studio.open(team.owner)
    await page.goto(`${project.url}/decisions`)
    await page.getByRole('heading', { name: /^\d+ recorded$/ }).waitFor()
    await expectAccess(page, 'decisions')
    const rows = page.getByRole('region', { name: 'Decisions' }).getByRole('row')
    await page.getByRole('combobox', { name: /^Result/ }).selectOption('GRANTED')
    await expect.poll(() => rows.filter({ hasText: 'DENIED' }).count()).toBe(0)
    await page.getByRole('combobox', { name: /^Result/ }).selectOption('')
    await page.getByRole('button', { name: 'Filter by field' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Field').selectOption('user_vip_level')
    await dialog.getByLabel('Values').fill('3, 4')
    await dialog.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('button', { name: 'Remove the filter: user_vip_level is 3 or 4' }).click()
    await page.getByRole('button', { name: 'Replay', exact: true }).press('Enter')
    await page.getByText('would change with draft 2').waitFor()
    expect(await page.getByLabel('only what changes').isChecked()).toBe(true)
    await rows.nth(1).getByRole('button').press('Enter')
    const drawer = page.getByRole('complementary', { name: 'The decision' })
    await drawer.getByRole('listitem').first().waitFor()
    await expectAccess(page, 'replay')
    await drawer.getByRole('button', { name: 'Save as test' }).click()
    await dialog.getByLabel('Name of the test').fill('from production')
    await dialog.getByRole('button', { name: 'Save as test' }).click()
    await drawer.getByText('Saved as a test').waitFor()
    await drawer.getByRole('link', { name: 'Record to print' }).click()
    await page.getByText(/^ecommerce_coupon decided \w+ in dev on /).waitFor()
    await page.getByText('This decision has no receipt').waitFor()
    await page.getByText('published without a release').waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Is a coupon possible?' })
      .or(page.locator('.decided-path li'))
      .first()
      .waitFor()
    await expectAccess(page, 'record of a decision')
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
    await page.emulateMedia({ media: 'screen' })
  }, 400_000)

  test('refused by the contract are listed with the rules that they break', async () => {
    const platform = studio.platform()
    const project = await newProject(platform)
    const { team, path } = project
    const ask = team.owner.request
    await serving(platform, project, 'dev', '--sample-decisions', '100')
    await ask('PUT', `${path}/environments/dev/recording`, { rate: 100, retention_days: 30, mask: ['email'] })
    await ask('POST', `${path}/rulesets/ecommerce_coupon/publish`, { environment: 'dev' })
    const input = { cart_amount: -5, user_vip_level: 'gold', email: 'ana@example.com' }
    const refuse = async () => {
      const sent = await ask(
        'POST',
        `/api/v1/engine/${project.id}/execute/ecommerce_coupon`,
        { input },
        { 'x-environment': 'dev' },
      )
      // The engine may not have the ruleset yet.
      if (sent.status !== 400) return 0
      expect(sent.body.code).toBe('INVALID_INPUT')
      return (await ask('GET', `${path}/rulesets/ecommerce_coupon/decisions?outcome=refused`)).body.items.length
    }
    await expect.poll(refuse, { interval: 1000 }).toBeGreaterThan(2)
    const page = await studio.open(team.owner)
    await page.goto(`${project.url}/decisions`)
    await page.getByRole('link', { name: 'Refused inputs' }).click()
    const row = page.getByRole('region', { name: 'Refused inputs' }).getByRole('row').nth(1)
    await row.getByRole('listitem').first().waitFor()
    expect(await row.getByRole('listitem').allTextContents()).toEqual([
      'user_vip_level is not an integer',
      'cart_amount is not at least 0',
      'promotion_active is missing: a boolean',
    ])
    await row.getByText('Show').click()
    expect(await row.locator('pre').textContent()).not.toContain('ana@example.com')
    await expectAccess(page, 'refused inputs')
  }, 400_000)

  test('are foreseen by a shadow, which compares requests until it ends', async () => {
    const { project, team, decideAll } = await recorded()
    const page = await studio.open(team.owner)
    const dialog = page.getByRole('dialog')
    await page.goto(`${project.url}/decisions?tab=shadows`)
    await page.getByRole('heading', { name: 'No shadow has run' }).waitFor()
    await page.getByRole('button', { name: 'Start a shadow' }).click()
    await dialog.getByLabel('Environment').selectOption('dev')
    await dialog.getByLabel('Share of requests in percent').fill('100')
    await dialog.getByRole('button', { name: 'Start a shadow' }).click()
    await page.getByText('No decision would change so far.').waitFor()
    const compared = async () => {
      await decideAll()
      return page.getByRole('button', { name: /^GRANTED to DENIED: \d+/ }).count()
    }
    await expect.poll(compared, { interval: 2000 }).toBe(1)
    await page.getByRole('button', { name: /^GRANTED to DENIED/ }).press('Enter')
    await page.getByRole('region', { name: 'Examples 1' }).waitFor()
    await expectAccess(page, 'shadows')
    await page.getByRole('button', { name: 'End and delete' }).click()
    await dialog.getByRole('button', { name: 'End and delete' }).click()
    await page.getByRole('heading', { name: 'No shadow has run' }).waitFor()
  }, 400_000)

  test('are replayed by the platform, which shows progress and results until they are deleted', async () => {
    const { project, team } = await recorded()
    const page = await studio.open(team.owner)
    const dialog = page.getByRole('dialog')
    await page.goto(`${project.url}/decisions?tab=replays`)
    await page.getByRole('heading', { name: 'No replay has run' }).waitFor()
    await page.getByRole('button', { name: 'Start a replay' }).click()
    await dialog.getByLabel('Environment').waitFor()
    expect(await dialog.getByLabel('Environment').getByRole('option').allTextContents()).toEqual(['dev'])
    await dialog.getByLabel('Candidate').selectOption('save 2')
    await dialog.getByLabel('Decisions since (UTC)').fill('yesterday')
    await dialog.getByRole('button', { name: 'Start a replay' }).click()
    await dialog.locator('[aria-invalid="true"]').waitFor()
    await dialog.getByLabel('Decisions since (UTC)').fill('2020-01-31 12:00')
    await dialog.getByRole('button', { name: 'Start a replay' }).click()
    const results = page.getByRole('region', { name: 'Results of the replay' })
    await results.getByText('completed').waitFor()
    await results.getByText(/would change with the candidate instead of/).waitFor()
    await results.getByRole('button', { name: /^GRANTED to DENIED: \d+/ }).waitFor()
    await results.getByRole('heading', { name: 'Examples, GRANTED to DENIED' }).waitFor()
    await expectAccess(page, 'replays')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { name: 'No replay has run' }).waitFor()
  }, 400_000)

  test('are counted by row: all that engines made with the save on the screen, else the recorded ones', async () => {
    const platform = studio.platform()
    const project = await newProject(platform)
    const { team, path } = project
    const ask = team.owner.request
    await savePriceTable(project, 'prices')
    await serving(platform, project, 'dev', '--sample-decisions', '100')
    await ask('PUT', `${path}/environments/dev/recording`, { rate: 100, retention_days: 30, mask: [] })
    await ask('POST', `${path}/rulesets/prices/publish`, { environment: 'dev' })
    const decide = (country: string) =>
      ask('POST', `/api/v1/engine/${project.id}/execute/prices`, { input: { country } }, { 'x-environment': 'dev' })
    // The engine may not have the ruleset yet.
    await expect.poll(async () => (await decide('DE')).status).toBe(200)
    for (const country of ['DE', 'DE', 'AT', 'FR']) await decide(country)
    const counted = async () => {
      const [{ digest }] = (await ask('GET', `${path}/rulesets/prices/deployments`)).body.items
      return (await ask('GET', `${path}/rulesets/prices/branch-counts?digest=${digest}`)).body.environments[0]
        ?.executions
    }
    await expect.poll(counted, { timeout: 60_000 }).toBe(5)
    const page = await studio.open(team.owner)
    await page.goto(`${project.url}/rulesets/prices?view=table&step=prices`)
    await page.getByRole('button', { name: 'Decisions by row' }).click()
    const header = page.getByRole('columnheader', { name: 'Seen' })
    const seen = () => page.getByRole('gridcell').and(page.locator('.seen')).allTextContents()
    await header.getByText('30 days: 5').waitFor()
    await expect.poll(seen).toEqual(['3', '1'])
    await expectAccess(page, 'decisions by row')

    await page
      .getByRole('gridcell', { name: '"AT"' })
      .or(page.getByRole('gridcell', { name: 'AT', exact: true }))
      .click()
    await page.keyboard.type('FR')
    await page.keyboard.press('Tab')
    await header.getByText('of 5').waitFor()
    await expect.poll(seen).toEqual(['3', '1'])
  }, 400_000)

  test('are private: a viewer reads why', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(await project.team.join(['viewer']), { isPhone: true, colorScheme: 'dark' })
    await page.goto(`${project.url}/decisions`)
    await page.getByText('reading them needs the right audit.read').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await expectAccess(page, 'decisions of a viewer')
  })

  test('are missing where nothing is recorded, with the way to record', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/decisions`)
    await page.getByRole('heading', { name: 'No decision is recorded here' }).waitFor()
    await page.getByRole('link', { name: 'Open the environment' }).click()
    await page.getByRole('region', { name: 'Recording' }).waitFor()
  })
})
