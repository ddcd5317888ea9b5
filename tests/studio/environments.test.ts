import { describe, expect, test } from 'vitest'
import { expectAccess } from './axe.testing.ts'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'

describe.skipIf(CHROMIUM === undefined)('the environments', () => {
  const studio = useStudio()

  test('are cards in order, moved by keys, and each has a page for rollout and recording', async () => {
    const project = await newProject(studio.platform())
    const { owner } = project.team
    const page = await studio.open(owner)
    await page.goto(`${project.url}/environments`)
    const card = page.getByRole('article', { name: 'staging' })
    await card.getByText('needed, 1 approval').waitFor()
    await card.getByText('all requests from the start').waitFor()
    await expectAccess(page, 'environments')
    await card.getByRole('button', { name: 'Move staging to the left' }).press('Enter')
    await expect.poll(async () => await page.getByRole('article').first().getAttribute('aria-label')).toBe('staging')
    await card.getByRole('button', { name: 'Move staging to the right' }).press('Enter')
    await expect.poll(async () => await page.getByRole('article').first().getAttribute('aria-label')).toBe('dev')
    await page.getByRole('article', { name: 'prod' }).getByRole('link', { name: 'prod' }).click()
    const rollout = page.getByRole('region', { name: 'Rollout' })
    await rollout.getByRole('button', { name: 'Add a stage' }).click()
    await rollout.getByRole('button', { name: 'Add a stage' }).click()
    await rollout.getByRole('group', { name: 'Stage 2' }).getByLabel('Minutes').fill('60')
    await rollout
      .getByRole('img', { name: 'Stages: 5 %, 30 min; 10 %, 1 h 0 min, then everyone'.replace('1 h 0 min', '1 h') })
      .waitFor()
    await rollout.getByRole('button', { name: 'Save' }).click()
    const recording = page.getByRole('region', { name: 'Recording' })
    await recording.getByLabel('Decisions that are kept, in percent').fill('5')
    await recording.getByLabel('Masked fields').fill('user_vip_level')
    await recording.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Example' }).waitFor()
    await expectAccess(page, 'environment')
    const stored = async () => (await owner.request('GET', `${project.path}/environments/prod`)).body
    await expect.poll(stored).toMatchObject({
      canary: {
        stages: [
          { percent: 5, duration_s: 1800 },
          { percent: 10, duration_s: 3600 },
        ],
      },
      recording: { rate: 5, mask: ['user_vip_level'] },
    })
    await page.getByRole('link', { name: 'Environments' }).first().press('Enter')
    await page.getByText('At most 1 of 100 good candidates is stopped by mistake.').waitFor()
  })

  test('are read by a person who may not change them, on a phone in the dark', async () => {
    const project = await newProject(studio.platform())
    const page = await studio.open(await project.team.join(['viewer']), { isPhone: true, colorScheme: 'dark' })
    await page.goto(`${project.url}/environments`)
    await page.getByRole('article', { name: 'prod' }).waitFor()
    expect(await page.getByRole('button', { name: 'New environment' }).isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: /^Move/ }).count()).toBe(0)
    await page.getByRole('article', { name: 'prod' }).getByRole('link', { name: 'prod' }).click()
    await page.getByRole('region', { name: 'Recording' }).getByText('off').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await expectAccess(page, 'environment of a reader')
  })
})
