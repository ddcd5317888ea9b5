import { describe, expect, test } from 'vitest'
import { expectAccess } from './axe.testing.ts'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'
import { serving } from './engine.testing.ts'
import { made } from '../platform/team.testing.ts'

describe.skipIf(CHROMIUM === undefined)('the overview', () => {
  const studio = useStudio()

  test('shows what is live where, publishes, begins a release, and counts decisions', async () => {
    const platform = studio.platform()
    const project = await newProject(platform)
    const { team, path } = project
    await serving(platform, project, 'dev')
    const page = await studio.open(team.owner)
    await page.goto(platform.publicUrl)
    await page.waitForURL(project.url)
    await page.getByRole('heading', { level: 1, name: /^Good / }).waitFor()
    await page.getByText('Nothing is waiting for you.').waitFor()
    const row = page.getByRole('row').filter({ hasText: 'ecommerce_coupon' })
    await row.getByText('draft 1').waitFor()
    await row.getByRole('button', { name: 'Publish draft 1 of ecommerce_coupon to dev' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await row.getByText('same content').waitFor()
    const { body } = await team.owner.request('GET', `${path}/rulesets/ecommerce_coupon/tests`)
    const [{ cases }] = body.items
    const decide = (input: object) =>
      team.owner.request(
        'POST',
        `/api/v1/engine/${project.id}/execute/ecommerce_coupon`,
        { input },
        { 'x-environment': 'dev' },
      )
    await expect.poll(async () => (await decide(cases[0].input)).status).toBe(200)
    for (const { input } of cases) expect((await decide(input)).status).toBe(200)
    await page.getByRole('region', { name: 'Decisions in dev' }).getByText(/^\d+$/).first().waitFor()
    const codes = page.getByRole('region', { name: 'Result codes' })
    await codes.getByText(/^GRANTED \d+/).waitFor()
    await codes.getByText('Show as table').click()
    await codes.getByRole('columnheader', { name: 'GRANTED' }).waitFor()
    const chart = codes.getByRole('img', { name: 'Result codes of ecommerce_coupon over time' })
    await chart.press('Home')
    expect(await codes.locator('output').textContent()).toContain('GRANTED 0')
    await expectAccess(page, 'overview')
    await page.getByRole('region', { name: 'First steps' }).getByRole('link', { name: 'Open a ruleset' }).click()
    await page.getByText('11/11 tests').waitFor()
    await page.goBack()
    await page
      .getByRole('region', { name: 'First steps' })
      .getByRole('listitem')
      .first()
      .getByText('done')
      .waitFor({ state: 'attached' })
    await row.getByRole('button', { name: 'New release of ecommerce_coupon to staging' }).press('Enter')
    await page.waitForURL(/\/releases\/new\?ruleset=ecommerce_coupon&environment=staging$/)
  })

  test('leads with what waits for the reader, and names what waits for others', async () => {
    const project = await newProject(studio.platform())
    const { team, path } = project
    await made(
      team.owner.request('POST', `${path}/releases`, {
        title: 'Coupons for the spring',
        rulesets: [{ name: 'ecommerce_coupon', from_seq: 1 }],
        environments: ['prod'],
      }),
    )
    const page = await studio.open(team.owner, { colorScheme: 'dark' })
    await page.goto(project.url)
    const needs = page.getByRole('region', { name: 'What needs attention' })
    await needs.getByRole('link', { name: 'Approve release 1 Coupons for the spring' }).waitFor()
    await page.getByRole('link', { name: 'a release waits' }).waitFor()
    const reader = await studio.open(await team.join(['viewer']), { isPhone: true })
    await reader.goto(project.url)
    await reader.getByText('Release 1 waits for approval').first().waitFor()
    expect(await reader.getByRole('button', { name: /^Publish draft 1/ }).isDisabled()).toBe(true)
    expect(await reader.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await expectAccess(reader, 'overview of a reader')
  })

  test('of an empty project offers the ways to begin', async () => {
    const { team } = await newProject(studio.platform())
    const { id } = await made(team.owner.request('POST', `${team.path}/projects`, { name: 'Empty' }))
    const page = await studio.open(team.owner)
    await page.goto(`${studio.platform().publicUrl}/o/${team.id}/p/${id}`)
    await page.getByRole('heading', { name: 'This project has no ruleset yet' }).waitFor()
    await expectAccess(page, 'empty overview')
    await page.getByRole('link', { name: 'Import rules' }).click()
    await page.waitForURL(/\/import$/)
  })
})
