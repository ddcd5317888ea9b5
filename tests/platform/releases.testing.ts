import { grading, newName } from './drafts.testing.ts'
import type { Answered, Client, TestPlatform } from './platform.testing.ts'
import { made, newTeam, type Team, type TestPerson } from './team.testing.ts'

/** A project with a ruleset, and the people around its releases. */
export interface Scene {
  readonly team: Team
  /** Path of the project. */
  readonly P: string
  readonly owner: TestPerson
  /** Save a ruleset as a person; gives its `seq`. */
  save(by: Client, name: string, points?: number, more?: object): Promise<number>
  /** Ask for a release. */
  ask(by: Client, name: string, fromSeq: number, environments?: readonly string[], more?: object): Promise<Answered>
  /** The same, made. */
  release(by: Client, name: string, fromSeq: number, environments?: readonly string[]): Promise<Answered['body']>
  policy(more?: object): Promise<Answered['body']>
}

/** A new organization with a project that has dev, staging and prod. */
export async function newScene(platform: TestPlatform): Promise<Scene> {
  const team = await newTeam(platform, newName())
  const { owner } = team
  const project = await made(owner.request('POST', `${team.path}/projects`, { name: 'Shop' }))
  return sceneOf(team, `${team.path}/projects/${project.id}`)
}

export function sceneOf(team: Team, P: string): Scene {
  const { owner } = team
  const ask: Scene['ask'] = (by, name, from_seq, environments = ['prod'], more = {}) =>
    by.request('POST', `${P}/releases`, { title: `of ${name}`, rulesets: [{ name, from_seq }], environments, ...more })
  return {
    team,
    P,
    owner,
    async save(by, name, points = 10, more = {}) {
      const { body: before } = await owner.request('GET', `${P}/rulesets/${name}`)
      const expected_seq = before?.seq ?? 0
      const answer = await by.request('POST', `${P}/rulesets/${name}`, {
        ruleset: grading(name, points, more),
        expected_seq,
      })
      if (answer.status >= 300) throw new Error(answer.text)
      return answer.body.seq
    },
    ask,
    release: (by, name, fromSeq, environments) => made(ask(by, name, fromSeq, environments)),
    policy: (more = {}) =>
      made(
        owner.request('POST', `${P}/release-policies`, { name: newName(), match: { environments: ['prod'] }, ...more }),
      ),
  }
}
