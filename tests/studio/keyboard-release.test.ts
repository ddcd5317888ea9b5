import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { made } from '../platform/team.testing.ts'
import { CHROMIUM, newProject, type StudioProject, useStudio } from './browser.testing.ts'
import { serving } from './engine.testing.ts'

const deciding = (limit: number) => ({
  config: { name: 'credit', version: `1.${limit}.0` },
  startStepId: 'check',
  steps: [
    {
      id: 'check',
      name: 'Is it too much?',
      type: 'decision',
      branches: [{ id: 'much', condition: `amount > ${limit}`, nextStepId: 'denied' }],
      defaultNextStepId: 'granted',
    },
    { id: 'denied', name: 'Denied', type: 'terminal', code: 'DENIED' },
    { id: 'granted', name: 'Granted', type: 'terminal', code: 'GRANTED' },
  ],
})

/** More stops than any page has. */
const MAX_STOPS = 150

/** Press Tab until an element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const hasFocus = async () => (await target.and(page.locator(':focus')).count()) > 0
  for (let stops = 0; stops < MAX_STOPS; stops++) {
    if (await hasFocus()) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${target.toString()}`)
}

async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

describe.skipIf(CHROMIUM === undefined)('a release by keyboard alone', () => {
  const studio = useStudio()

  const save = async ({ team, path }: StudioProject, limit: number, expected_seq: number) => {
    const body = { ruleset: deciding(limit), expected_seq }
    const saved = await team.owner.request('POST', `${path}/rulesets/credit`, body)
    expect(saved.status, saved.text).toBeLessThan(300)
  }

  test('is requested, reviewed, approved, brought to a canary, promoted and rolled back', async () => {
    const project = await newProject(studio.platform())
    const { team, path, url } = project
    await serving(studio.platform(), project, 'prod')
    await save(project, 60, 0)
    const first = await made(
      team.owner.request('POST', `${path}/releases`, {
        title: 'Credit',
        rulesets: [{ name: 'credit', from_seq: 1 }],
        environments: ['prod'],
      }),
    )
    for (const act of ['approve', 'execute']) {
      const done = await team.owner.request('POST', `${path}/releases/${first.id}/${act}`, {})
      expect(done.status, done.text).toBeLessThan(300)
    }
    const statusOf = async () => (await team.owner.request('GET', `${path}/releases/${first.id}`)).body.status
    await expect.poll(statusOf).toBe('completed')
    const canary = await team.owner.request('PUT', `${path}/environments/prod/canary`, {
      stages: [{ percent: 50, duration_s: 3600 }],
    })
    expect(canary.status, canary.text).toBe(200)
    await save(project, 50, 1)

    const page = await studio.open(team.owner)
    await page.goto(`${url}/releases`)
    const named = (role: 'button' | 'link' | 'checkbox' | 'textbox', name: string | RegExp) =>
      page.getByRole(role, { name, exact: typeof name === 'string' })

    // Request.
    await press(page, named('button', 'New release'))
    await tabTo(page, named('textbox', 'Title'))
    await page.keyboard.type('Stricter limit')
    await tabTo(page, named('checkbox', /^credit/))
    await page.keyboard.press('Space')
    await tabTo(page, named('checkbox', /^prod/))
    await page.keyboard.press('Space')
    await press(page, named('button', 'Preview'))
    await press(page, named('button', 'Request the release to prod'))
    await page.getByRole('heading', { name: 'Stricter limit' }).waitFor()

    // Review: the first place is open, the next tabs are links; then approve.
    await page.getByRole('region', { name: 'Where it changes' }).waitFor()
    await page.keyboard.press('j')
    await expect.poll(() => page.locator('.region-words:focus').count()).toBe(1)
    await press(page, named('link', /^Changes/))
    await page.getByRole('article').first().waitFor()
    await page.keyboard.press('a')
    const dialog = page.getByRole('dialog')
    await press(page, dialog.getByRole('button', { name: 'Approve' }))
    await dialog.waitFor({ state: 'detached' })

    // Canary.
    await press(page, named('button', 'Release to prod'))
    await tabTo(page, dialog.getByLabel('Type prod to confirm'))
    await page.keyboard.type('prod')
    await page.keyboard.press('Enter')
    await page.getByText('50 % for 1 h').waitFor()

    // Promote, and roll back.
    await press(page, named('button', 'Everyone now'))
    await page.getByText('Live in prod.').waitFor()
    await press(page, named('button', 'Roll back to release 1'))
    await press(page, dialog.getByRole('button', { name: 'Roll back to release 1' }))
    await page.getByRole('link', { name: /^3 / }).waitFor()
    await page.getByText('Live in prod.').waitFor()
    const { body } = await team.owner.request('GET', `${path}/rulesets`)
    const credit = body.items.find(({ name }: { readonly name: string }) => name === 'credit')
    expect(credit.live).toMatchObject([{ environment: 'prod', version: '1.60.0' }])
  })
})
