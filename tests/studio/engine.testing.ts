import { randomUUID } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { startServer, type TestServer } from '../http/server.testing.ts'
import type { TestPlatform } from '../platform/platform.testing.ts'
import { made } from '../platform/team.testing.ts'
import type { StudioProject } from './browser.testing.ts'

/** A real engine that serves an environment of a project until the test ends. */
export async function serving(...asked: Parameters<typeof startEngine>): ReturnType<typeof startEngine> {
  const started = await startEngine(...asked)
  onTestFinished(() => started.engine.stop())
  return started
}

/** A real engine that serves an environment of a project until it is stopped. */
export async function startEngine(
  platform: TestPlatform,
  { team, path }: StudioProject,
  environment: string,
  ...options: readonly string[]
): Promise<{ readonly name: string; readonly engine: TestServer }> {
  const { token } = await made(team.owner.request('POST', `${team.path}/connect-tokens`, { label: 'story' }))
  const name = `engine-${randomUUID()}`
  const link = ['--platform-url', platform.url, '--platform-connect-token', token]
  const engine = await startServer(...link, '--platform-server-name', name, '--multi-tenancy-enabled', ...options)
  const platformOf = async () => (await engine.request('GET', '/health')).body.platform
  await expect.poll(async () => (await platformOf()).registered).toBe(true)
  const { server_id: id } = await platformOf()
  const bound = await team.owner.request('PUT', `${path}/server`, { environment, server_ids: [id] })
  expect(bound.status, bound.text).toBe(200)
  return { name, engine }
}
