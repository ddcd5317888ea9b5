import type { components } from '../api/schema.ts'

type Schemas = components['schemas']

/** The last environment of a release that requires releases: who starts the rollout types its name. */
export const lastProtected = (
  known: readonly Pick<Schemas['Environment'], 'name' | 'order' | 'requires_release'>[],
  environments: readonly string[],
): string | undefined =>
  known
    .filter(({ name, requires_release: isProtected }) => isProtected && environments.includes(name))
    .toSorted((left, right) => left.order - right.order)
    .at(-1)?.name

/** The request to approve exactly the displayed content: the platform rejects any other. */
export const approvalOf = ({ content_digest }: Pick<Schemas['Release'], 'content_digest'>, comment: string) => ({
  comment,
  content_digest,
})

/** The request to execute a release. */
export const executionOf = <Expected>(reason: string, expect: readonly Expected[]) => ({
  ...(reason !== '' && { emergency_reason: reason }),
  ...(expect.length > 0 && { expect: [...expect] }),
})
