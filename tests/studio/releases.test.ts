import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { made } from '../platform/team.testing.ts'
import { CHROMIUM, newProject, type StudioProject, useStudio } from './browser.testing.ts'
import { serving } from './engine.testing.ts'

interface Listed {
  readonly number: number
  readonly status: string
}

/** A save that changes the least amount of a cart. */
async function saveThreshold({ team, path }: StudioProject, amount: number): Promise<void> {
  const { body: draft } = await team.owner.request('GET', `${path}/rulesets/ecommerce_coupon`)
  const ruleset = JSON.stringify(draft.ruleset).replace('cart_amount < 30', `cart_amount < ${amount}`)
  const body = { ruleset: JSON.parse(ruleset), expected_seq: draft.seq }
  const { status, text } = await team.owner.request('POST', `${path}/rulesets/ecommerce_coupon`, body)
  expect(status, text).toBe(200)
}

/** The target of a rollback: the first save, live in production. */
async function releaseFirst({ team, path }: StudioProject): Promise<void> {
  const rulesets = [{ name: 'ecommerce_coupon', from_seq: 1 }]
  const body = { title: 'Coupons', rulesets, environments: ['prod'] }
  const { id } = await made(team.owner.request('POST', `${path}/releases`, body))
  for (const act of ['approve', 'execute']) {
    const { status, text } = await team.owner.request('POST', `${path}/releases/${id}/${act}`, {})
    expect(status, text).toBeLessThan(300)
  }
  await expect
    .poll(async () => (await team.owner.request('GET', `${path}/releases/${id}`)).body.status)
    .toBe('completed')
}

/** Production wants its name. */
async function confirmRelease(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type prod to confirm').fill('production')
  await dialog.getByRole('button', { name: 'Release to prod' }).click()
  await dialog.getByText('is not the name of the environment').first().waitFor()
  await dialog.getByLabel('Type prod to confirm').fill('prod')
  await dialog.getByRole('button', { name: 'Release to prod' }).click()
  await dialog.waitFor({ state: 'detached' })
}

describe.skipIf(CHROMIUM === undefined)('the studio', () => {
  const studio = useStudio()

  test('requests a release, approves, executes and rolls it back while the page follows', async () => {
    const project = await newProject(studio.platform())
    const { name: engine } = await serving(studio.platform(), project, 'prod')
    await releaseFirst(project)
    await saveThreshold(project, 29.995)
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/releases`)
    await page.getByRole('button', { name: 'New release' }).click()
    await page.getByLabel('Title').fill('Coupons for the summer')
    // Production is a choice of its own.
    expect(await page.getByRole('checkbox', { name: /^prod/ }).isChecked()).toBe(false)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('choose at least one environment').first().waitFor()
    await page.getByRole('checkbox', { name: /^prod/ }).check()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('11 of 11').waitFor()
    await page.locator('.changed').getByText('cart_amount < 29.995').waitFor()
    await page.getByText('1 approval is needed.').waitFor()
    await page.getByRole('button', { name: 'Request the release to prod' }).click()
    await page.getByRole('heading', { name: 'Coupons for the summer' }).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await page.getByText('1 of 1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Release to prod' }).click()
    await confirmRelease(page)
    const events = page.getByRole('list', { name: 'Events' })
    await events.getByText('Execution completed').waitFor()
    const row = page.getByRole('row').filter({ hasText: engine })
    await row.getByText('this release', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Roll back to release 1' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('too generous')
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back to release 1' }).click()
    await page.getByRole('link', { name: /^3 / }).waitFor()
    await events.getByText('Execution completed').waitFor()
    await page.getByText('Live in prod.').waitFor()
    await row.getByText('this release', { exact: true }).waitFor()
    expect(await page.getByText('Connection lost').count()).toBe(0)
    await page.goBack()
    await page.locator('.tag', { hasText: 'rolled back' }).waitFor()
    expect(page.url()).toBe(`${project.url}/releases/2/rollout`)
    const { body } = await project.team.owner.request('GET', `${project.path}/releases`)
    expect(body.items.map(({ number, status }: Listed) => `${number} ${status}`).toSorted()).toEqual([
      '1 completed',
      '2 rolled_back',
      '3 completed',
    ])
  })

  test.each(['', '/rollout'])('moves from the id of a release to its number: releases/…%s', async (part) => {
    const project = await newProject(studio.platform())
    const rulesets = [{ name: 'ecommerce_coupon', from_seq: 1 }]
    const body = { title: 'Coupons', rulesets, environments: ['prod'] }
    const { id } = await made(project.team.owner.request('POST', `${project.path}/releases`, body))
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/releases/${id}${part}?from=notice`)
    await page.waitForURL(`${project.url}/releases/1${part}?from=notice`)
    await page.getByRole('heading', { name: 'Coupons' }).waitFor()
    await page.getByRole('navigation').getByText('1 Coupons').waitFor()
  })

  test('shows what each save changed, and restores one', async () => {
    const project = await newProject(studio.platform())
    const { owner } = project.team
    const path = `${project.path}/rulesets/ecommerce_coupon`
    await saveThreshold(project, 29)
    const page = await studio.open(owner)
    await page.goto(`${project.url}/rulesets/ecommerce_coupon`)
    await page.getByRole('link', { name: 'draft 2' }).click()
    await page.getByRole('heading', { name: 'Changes of draft 2' }).waitFor()
    await page.locator('.changed').getByText('cart_amount < 29').waitFor()
    await page.getByRole('link', { name: 'Side by side' }).press('Enter')
    const before = page.getByRole('region', { name: 'Before: draft 1', exact: true })
    const after = page.getByRole('region', { name: 'After: draft 2', exact: true })
    await before.locator('.nd[data-change=changed]').getByText('cart_amount is less than 30').waitFor()
    await after.locator('.nd[data-change=changed]').getByText('cart_amount is less than 29').waitFor()
    await expect.poll(() => page.locator('.nd[data-change]').count()).toBe(2)
    await page.goBack()
    await page.getByRole('row').filter({ hasText: 'draft 1' }).getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    const condition = page.getByRole('textbox', { name: 'Condition of branch 3' })
    await expect.poll(() => condition.textContent()).toBe('cart_amount < 30')
    await page.getByText('draft 3').waitFor()
    expect((await owner.request('GET', path)).body.seq).toBe(3)
  })
})
