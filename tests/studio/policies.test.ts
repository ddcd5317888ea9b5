import { describe, expect, test } from 'vitest'
import { expectAccess } from './axe.testing.ts'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'

describe.skipIf(CHROMIUM === undefined)('the rules for releases', () => {
  const studio = useStudio()

  test('are written in a form, read as phrases, shown in the calendar, and deleted', async () => {
    const project = await newProject(studio.platform())
    const { owner } = project.team
    const page = await studio.open(owner)
    await page.goto(`${project.url}/rulesets`)
    await page.getByRole('link', { name: 'Environments' }).press('Enter')
    await page.getByRole('link', { name: 'Release rules' }).press('Enter')
    await page.getByRole('heading', { name: 'No rule yet' }).waitFor()
    await page.getByText('No freeze window in the next 90 days.').waitFor()
    await expectAccess(page, 'no rules')
    await page.getByRole('button', { name: 'New rule' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Four eyes')
    await dialog.getByRole('checkbox', { name: 'prod' }).check()
    await dialog.getByLabel('Approvals', { exact: true }).fill('2')
    await dialog.getByLabel('Forbidden changes of result').fill('DENY->ALLOW')
    await dialog.getByLabel('Freeze window begins at').fill('0 16 * * 9')
    await dialog.getByLabel('Freeze window lasts').fill('64h')
    await dialog.getByRole('button', { name: 'New rule' }).click()
    await dialog.locator('.field .bad', { hasText: 'is no cron expression' }).waitFor()
    await dialog.getByLabel('Freeze window begins at').fill('0 16 * * 5')
    await dialog.getByRole('button', { name: 'New rule' }).click()
    await dialog.waitFor({ state: 'detached' })
    const row = page.getByRole('row').filter({ hasText: 'Four eyes' }).first()
    await row.getByText('2 approvals, not by authors').waitFor()
    await row.getByText('proof that no decision changes from DENY->ALLOW').waitFor()
    const calendar = page.getByRole('region', { name: 'When nothing goes live' }).last()
    await calendar.getByRole('row').nth(12).waitFor()
    expect(await page.locator('.day[data-frozen]').count()).toBeGreaterThan(20)
    await expectAccess(page, 'rules')
    const { items } = (await owner.request('GET', `${project.path}/release-policies`)).body
    expect(items).toMatchObject([
      {
        name: 'Four eyes',
        match: { environments: ['prod'] },
        approvers: { min_count: 2, exclude_authors: true },
        forbid: ['DENY->ALLOW'],
        freeze_window: { cron: '0 16 * * 5', duration: '64h' },
      },
    ])
    await row.getByRole('button', { name: 'Change' }).click()
    await dialog.getByLabel('Approvals', { exact: true }).fill('1')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await row.getByText('1 approval, not by authors').waitFor()
    await row.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'No rule yet' }).waitFor()
  })

  test('are read by a person who may not change them, on a phone in the dark', async () => {
    const project = await newProject(studio.platform())
    const window = { cron: '0 16 * * 5', duration: '64h' }
    await project.team.owner.request('POST', `${project.path}/release-policies`, {
      name: 'Calm',
      freeze_window: window,
    })
    const reader = await project.team.join(['viewer'])
    const page = await studio.open(reader, { isPhone: true, colorScheme: 'dark' })
    await page.goto(`${project.url}/policies`)
    await page.getByText('a time outside of the freeze windows').waitFor()
    expect(await page.getByRole('button', { name: 'New rule' }).isDisabled()).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  })
})
