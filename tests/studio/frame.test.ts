import { describe, expect, onTestFinished, test } from 'vitest'
import { DURATION_BOUNDS } from '@engine/api'
import { addEngine, engineNamed } from '../platform/engines.testing.ts'
import { made } from '../platform/team.testing.ts'
import { expectAccess } from './axe.testing.ts'
import { CHROMIUM, newProject, type StudioProject, useStudio } from './browser.testing.ts'
import { startCut } from './cuttable-proxy.testing.ts'

/** Request that the first draft becomes live in production. */
const askForRelease = ({ team, path }: StudioProject, title: string) =>
  made(
    team.owner.request('POST', `${path}/releases`, {
      title,
      rulesets: [{ name: 'ecommerce_coupon', from_seq: 1 }],
      environments: ['prod'],
    }),
  )

describe.skipIf(CHROMIUM === undefined)('the frame', () => {
  const studio = useStudio()

  test('notifies an approver as soon as a release is requested, and removes the notice when it is approved', async () => {
    const project = await newProject(studio.platform())
    const approver = await project.team.join(['admin'])
    const page = await studio.open(approver)
    const live = page.waitForResponse((answer) => answer.url().endsWith('/events') && answer.ok())
    await page.goto(`${project.url}/rulesets`)
    await live
    await page.getByRole('button', { name: /^Notifications/ }).waitFor()
    await askForRelease(project, 'Coupons for the summer')
    await page.getByRole('button', { name: /^Notifications, \d+ unread/ }).click()
    const menu = page.getByRole('dialog', { name: 'Notifications' })
    const notice = menu.getByRole('link', { name: /Coupons for the summer, waits for your approval/ })
    await notice.waitFor()
    await menu.getByRole('link', { name: 'Open the inbox' }).click()
    const waiting = page.getByRole('region', { name: 'Waiting for your approval' })
    await waiting.getByRole('link', { name: 'Coupons for the summer' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await page.getByText('1 of 1 approval').waitFor()
    await page.getByRole('link', { name: 'Inbox' }).click()
    await page.getByRole('heading', { name: 'No release waits for you' }).waitFor()
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
    await page.getByLabel('Unread only').check()
    await page.getByText('There is no notification').waitFor()
  })

  test('shows that the connection is lost, and the changes in between when it is back', async () => {
    const project = await newProject(studio.platform())
    const way = await startCut()
    onTestFinished(() => way.close())
    const page = await studio.open(project.team.owner, { proxy: way.url })
    const live = page.waitForResponse((answer) => answer.url().endsWith('/events') && answer.ok())
    await page.goto(`${project.url}/facts`)
    await live
    await page.getByRole('cell', { name: 'cart_amount' }).first().waitFor()
    way.cut()
    await page.getByText('Connection to the platform lost').waitFor()
    await made(project.team.owner.request('POST', `${project.path}/facts`, { name: 'season.name', type: 'string' }))
    way.mend()
    await page.getByText('season.name').waitFor()
    await expect.poll(() => page.getByText('Connection to the platform lost').count()).toBe(0)
  })

  test('says that a page failed whose parts are gone, as after an update, and reloads it', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(project.team.owner, {
      expectedError: /Failed to fetch dynamically imported module|status of 404/,
    })
    await page.goto(`${project.url}/rulesets`)
    await page.getByRole('heading', { name: 'Rulesets' }).waitFor()
    const isPart = /webhooks[^/]*\.js$/
    await page.route(isPart, (route) => route.fulfill({ status: 404 }))
    await page.goto(`${project.url}/webhooks`)
    await page.getByRole('heading', { name: 'This page failed', level: 2 }).waitFor()
    await page.getByText('Details').click()
    await page.getByText(/Failed to fetch dynamically imported module/).waitFor()
    await expectAccess(page, 'a page that failed')
    await page.unroute(isPart)
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'There is no webhook yet' }).waitFor()
  })

  test('shows how an engine is, and what it has decided', async () => {
    const { team } = await newProject(studio.platform())
    const { token } = await made(team.owner.request('POST', `${team.path}/connect-tokens`, { label: 'story' }))
    const engine = await addEngine(studio.platform(), token, engineNamed('front'))
    const counted = (name: string, ok: number, error: number) => ({
      tenant: null,
      name,
      digest: 'd1'.repeat(32),
      ok,
      error,
      codes: {},
      duration: { counts: DURATION_BOUNDS.map(() => 0), sum_seconds: 0 },
    })
    const health = { status: 'healthy', checks: { store: 'ok', sync: 'failed' }, uptime_seconds: 7260 }
    const stats = [counted('fees', 40, 2), counted('coupons', 3, 0)]
    expect((await engine.beat({ health, stats })).status).toBe(200)
    const page = await studio.open(team.owner)
    await page.goto(`${studio.platform().publicUrl}/o/${team.id}/engines`)
    await page.getByRole('link', { name: 'front' }).click()
    await page.getByText('2 h 1 min').waitFor()
    await page.getByText('sync: failed').waitFor()
    const executions = page.getByRole('region', { name: 'Executions' })
    await executions.getByText('fees 42').waitFor()
    await executions.getByText('coupons 3').waitFor()
    await page.getByRole('region', { name: 'Errors' }).getByText('fees 2').waitFor()
    await page.getByRole('button', { name: 'Week' }).click()
    await executions.getByText('fees 42').waitFor()
  })
})
