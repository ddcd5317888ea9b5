import { describe, expect, onTestFinished, test } from 'vitest'
import { made } from '../platform/team.testing.ts'
import { expectAccess } from './axe.testing.ts'
import { CHROMIUM, newProject, type StudioProject, useStudio } from './browser.testing.ts'
import { serving } from './engine.testing.ts'
import { newReviewedProject } from './reviewed.testing.ts'

/** A ruleset with one result. Content that is live already would need no canary: the title makes each one new. */
const deciding = (code: string, title: string) => ({
  config: { name: 'credit', version: '1.0.0' },
  startStepId: 'end',
  steps: [{ id: 'end', type: 'terminal', code, output: [{ name: 'product', value: JSON.stringify(title) }] }],
})

/** Save a ruleset and execute its release; the id of the release. */
async function release({ team, path }: StudioProject, code: string, title: string): Promise<string> {
  const { body: before, status } = await team.owner.request('GET', `${path}/rulesets/credit`)
  const saved = await team.owner.request('POST', `${path}/rulesets/credit`, {
    ruleset: deciding(code, title),
    expected_seq: status === 200 ? before.seq : 0,
  })
  expect(saved.status, saved.text).toBeLessThan(300)
  const rulesets = [{ name: 'credit', from_seq: saved.body.seq }]
  const { id } = await made(team.owner.request('POST', `${path}/releases`, { title, rulesets, environments: ['prod'] }))
  for (const act of ['approve', 'execute']) {
    const done = await team.owner.request('POST', `${path}/releases/${id}/${act}`, {})
    expect(done.status, done.text).toBeLessThan(300)
  }
  return id
}

describe.skipIf(CHROMIUM === undefined)('a rollout', () => {
  const studio = useStudio()

  /** A project whose ruleset is live on an engine, and releases of which go through two stages. */
  async function withCanary(): Promise<{ project: StudioProject; decide: (count: number) => Promise<void> }> {
    const project = await newProject(studio.platform())
    const { team, path } = project
    await serving(studio.platform(), project, 'prod')
    const first = await release(project, 'APPROVE', 'Credit')
    await expect
      .poll(async () => (await team.owner.request('GET', `${path}/releases/${first}`)).body.status)
      .toBe('completed')
    const stages = [
      { percent: 40, duration_s: 3600, min_requests: 500 },
      { percent: 50, duration_s: 3600 },
    ]
    const set = await team.owner.request('PUT', `${path}/environments/prod/canary`, { stages, alpha: 0.05 })
    expect(set.status, set.text).toBe(200)
    const key = { name: 'shop', scopes: ['decision.execute'] }
    const { token } = await made(team.owner.request('POST', `${team.path}/api-keys`, key))
    const client = studio.platform().program(token)
    let sent = 0
    return {
      project,
      async decide(count) {
        for (let index = 0; index < count; index++) {
          const headers = { 'x-environment': 'prod', 'x-canary-key': `customer-${sent++}` }
          const to = `/api/v1/engine/${project.id}/execute/credit`
          const { status, text } = await client.request('POST', to, { input: { amount: 10 } }, headers)
          expect(status, text).toBe(200)
        }
      },
    }
  }

  test('that shifts nothing is passed from stage to stage by buttons that name what they do, and its report remains', async () => {
    const { project, decide } = await withCanary()
    const id = await release(project, 'APPROVE', 'Credit again')
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/releases/${id}/rollout`)
    const open = page.locator('.stage-part[aria-current]')
    await open.getByText('40 % for 1 h').waitFor()
    await decide(200)
    const errors = page.getByRole('region', { name: 'Errors' })
    await errors.getByText('safe so far').waitFor()
    await errors.getByText('Far from an alarm').waitFor()
    await errors.getByText('Details', { exact: true }).click()
    await errors.getByText('Evidence 1, alarm at 125').waitFor()
    const codes = page.getByRole('region', { name: 'Result codes' })
    await codes.getByText('100 %, live 100 %').waitFor()
    await open.getByText(/with 500 candidate requests; \d+ so far/).waitFor()
    await open.getByText(/(5\d|60) min left|1 h left/).waitFor()
    await page.getByText('Target 40 %').waitFor()
    await page.getByRole('img', { name: /requests to the candidate, \d+ to the live version/ }).waitFor()
    await page.getByText('Same content on 1 of 1 engine').waitFor()
    const difference = errors.getByRole('img', { name: /the candidate differs by 0 points/ })
    await difference.focus()
    await page.keyboard.press('End')
    await errors
      .locator('output')
      .getByText(/0, between -[\d.]+ and \+[\d.]+/)
      .waitFor()
    await errors.getByText('Show as table').click()
    await errors.getByRole('columnheader', { name: 'Difference' }).waitFor()
    await page.getByRole('button', { name: 'Pause at 40 %' }).press('Enter')
    await page.getByText('Paused in prod. It waits for you.').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.locator('.stage-part[data-state=running]').waitFor()
    await expectAccess(page, 'a stage')
    await page.getByRole('button', { name: 'Next stage now: 50 %' }).press('Enter')
    await page.getByText('50 % of the requests to prod go to the candidate').waitFor()
    await page.getByRole('button', { name: 'Everyone now' }).click()
    await page.getByText('Live in prod.').waitFor()
    await page.reload()
    const events = page.getByRole('list', { name: 'Events' })
    await events.getByText('Execution completed').waitFor()
    await expect.poll(() => page.locator('.stage-part[data-state=passed]').count()).toBe(5)
    await codes.getByText('100 %, live 100 %').waitFor()
    const lines = await events.getByRole('listitem').allTextContents()
    expect(lines[0]).toContain('Execution completed')
    expect(lines.at(-1)).toContain('started the rollout')
    expect(lines.join(' ')).toMatch(/engine-[\w-]+ (has|received) the release/)
    await page.getByRole('button', { name: 'Roll back to release 1' }).click()
    await page.getByRole('dialog').getByText('prod gets credit 1.0.0 again').waitFor()
  })

  test('whose candidate gives other results is held with a reason, and the candidate is removed after a question', async () => {
    const { project, decide } = await withCanary()
    const id = await release(project, 'REFUSE', 'Credit refused')
    const page = await studio.open(project.team.owner)
    await page.goto(`${project.url}/releases/${id}/rollout`)
    await page.locator('.stage-part[data-state=running]').waitFor()
    await decide(60)
    const codes = page.getByRole('region', { name: 'Result codes' })
    await codes.getByText('shifts', { exact: true }).waitFor()
    await codes.getByText('100 %, live 0 %').waitFor()
    await codes.getByText('Alarm', { exact: true }).waitFor()
    await page.getByText('If that is intended, pass the stage.').first().waitFor()
    await page.locator('.stage-part[data-state=held]').waitFor()
    await expectAccess(page, 'a stage that is held')
    await page.getByRole('button', { name: 'Next stage now: 50 %' }).click()
    const dialog = page.getByRole('dialog', { name: 'Pass the stage against a guard?' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Stop and remove the candidate' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop and remove the candidate' }).click()
    await page.getByText('The rollout was stopped; the candidate is removed.').waitFor()
    await codes.getByText('shifts', { exact: true }).waitFor()
    expect((await project.team.owner.request('GET', `${project.path}/releases/${id}`)).body.status).toBe('cancelled')
  })

  test('that is expected to change results is started with the changes that the review found, and they do not hold it', async () => {
    const { project, release: id, stop } = await newReviewedProject(studio.platform())
    onTestFinished(async () => void (await stop()))
    const { team, path } = project
    const set = await team.owner.request('PUT', `${path}/environments/prod/canary`, {
      stages: [{ percent: 50, duration_s: 3600, min_requests: 500 }],
    })
    expect(set.status, set.text).toBe(200)
    const approved = await team.owner.request('POST', `${path}/releases/${id}/approve`, {})
    expect(approved.status, approved.text).toBe(200)
    const page = await studio.open(team.owner)
    await page.goto(`${project.url}/releases/${id}`)
    await page.getByRole('button', { name: 'Release to prod' }).click()
    const dialog = page.getByRole('dialog')
    const changes = dialog.getByRole('group', { name: 'This release is expected to change decisions:' })
    const heavier = changes.getByRole('checkbox', { name: 'ON_REQUEST → PRICED' })
    const france = changes.getByRole('checkbox', { name: 'NO_DELIVERY → PRICED' })
    await changes.getByText('6 of 6 recorded decisions with ON_REQUEST').waitFor()
    expect([await heavier.isChecked(), await france.isChecked()]).toEqual([true, true])
    await changes.getByRole('spinbutton', { name: 'Limit of ON_REQUEST → PRICED in percent' }).fill('90')
    await france.press('Space')
    expect(await france.isChecked()).toBe(false)
    await france.press('Space')
    await expectAccess(page, 'the start of a release that changes results')
    await dialog.getByLabel('Type prod to confirm').fill('prod')
    await dialog.getByRole('button', { name: 'Release to prod' }).click()
    await page.locator('.stage-part[data-state=running]').waitFor()
    for (let index = 0; index < 120; index++) {
      const headers = { 'x-environment': 'prod', 'x-canary-key': `customer-${index}` }
      const input = { country: 'DE', weight: index % 4 === 0 ? 25 : 3 }
      const to = `/api/v1/engine/${project.id}/execute/shipping_costs`
      expect((await team.owner.request('POST', to, { input }, headers)).status).toBe(200)
    }
    const codes = page.getByRole('region', { name: 'Result codes' })
    await codes.getByText('safe so far').waitFor()
    await codes.getByText('ON_REQUEST → PRICED was expected, for at most 90 % of ON_REQUEST.').waitFor()
    await codes.getByText('NO_DELIVERY → PRICED was expected.').waitFor()
    const events = page.getByRole('list', { name: 'Events' })
    await events.getByText(/started the rollout, which is expected to change .*ON_REQUEST → PRICED/).waitFor()
    await expectAccess(page, 'a rollout with expected changes')
  })

  test('is read on a phone in Chinese, no part wider than the screen', async () => {
    const { project, decide } = await withCanary()
    const id = await release(project, 'APPROVE', '信用')
    const page = await studio.open(project.team.owner, { isPhone: true, locale: 'zh-CN', colorScheme: 'dark' })
    await page.goto(`${project.url}/releases/${id}/rollout`)
    await page.getByText('40%，1 小时').waitFor()
    await decide(200)
    await page.getByRole('region', { name: '错误' }).getByText('目前安全').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  })
})
