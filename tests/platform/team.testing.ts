import { expect } from 'vitest'
import type { Answered, Client, TestPlatform } from './platform.testing.ts'

/** A person with an account, as a test uses it. */
export type TestPerson = Awaited<ReturnType<TestPlatform['person']>>

/** An organization and its owner. */
export interface Team {
  readonly owner: TestPerson
  readonly id: string
  /** Path of the organization. */
  readonly path: string
  /** A person who has joined with these roles. */
  join(roles: readonly string[], person?: TestPerson): Promise<TestPerson & { readonly memberId: string }>
}

/** Make an organization with a separate owner. */
export async function newTeam(platform: TestPlatform, name = 'Acme'): Promise<Team> {
  const owner = await platform.person()
  return teamOf(platform, owner, await made(owner.request('POST', '/api/v1/orgs', { name })))
}

/** An organization that exists, by its owner. */
export function teamOf<Owner extends Client>(
  platform: TestPlatform,
  owner: Owner,
  { id }: { readonly id: string },
): Omit<Team, 'owner'> & { readonly owner: Owner } {
  const path = `/api/v1/orgs/${id}`
  return {
    owner,
    id,
    path,
    async join(roles, known) {
      const person = known ?? (await platform.person())
      const member = await made(owner.request('POST', `${path}/members`, { email: person.email, roles }))
      const { status } = await acceptAs(person, member.invitation.url)
      expect(status).toBe(200)
      return { ...person, memberId: member.id }
    },
  }
}

/** Accept the invitation of a link. */
export function acceptAs(client: Client, url: string, more: object = {}): Promise<Answered> {
  const token = url.split('#token=')[1]
  return client.request('POST', '/api/v1/invitations/accept', { token, ...more })
}

/** The body of an answer with 201. */
export async function made(answer: Promise<Answered>): Promise<Answered['body']> {
  const { status, body, text } = await answer
  expect(status, text).toBe(201)
  return body
}

/** Status and `details[0].code`, the reason of a refusal. */
export async function refusal(answer: Promise<Answered>): Promise<readonly [number, string | undefined]> {
  const { status, body } = await answer
  return [status, body?.details?.[0]?.code]
}
