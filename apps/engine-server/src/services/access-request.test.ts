import type { ObjectValue, Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import type { Entities } from '../standards/entities.ts'
import { accessRequestOf, evaluationsOf, inputOf, itemRequestOf, type Needed, requestBody } from './access-request.ts'

const BODY = {
  subject: { type: 'user', id: 'ann' },
  action: { name: 'read' },
  resource: { type: 'file', id: 'f1' },
}
const NONE = { properties: {} }
const READ = {
  subject: { type: 'user', id: 'ann', ...NONE },
  action: { name: 'read', ...NONE },
  resource: { type: 'file', id: 'f1', ...NONE },
  context: {},
}

const refused = (path: string) => expect.objectContaining({ details: [expect.objectContaining({ path })] })

describe('a request for access', () => {
  test('is read with its properties and its context; other members are ignored', () => {
    expect(accessRequestOf(BODY)).toEqual(READ)
    const whole = {
      subject: { ...BODY.subject, properties: { level: 1 }, note: 'x' },
      action: { ...BODY.action, properties: { soft: true } },
      resource: { ...BODY.resource, properties: { owner: 'bob' } },
      context: { time: 5 },
      options: {},
    }
    expect(accessRequestOf(whole)).toEqual({
      subject: { type: 'user', id: 'ann', properties: { level: 1 } },
      action: { name: 'read', properties: { soft: true } },
      resource: { type: 'file', id: 'f1', properties: { owner: 'bob' } },
      context: { time: 5 },
    })
  })

  test.each<readonly [string, ObjectValue, string]>([
    ['without a subject', { ...BODY, subject: undefined as never }, '/subject'],
    ['with a text as subject', { ...BODY, subject: 'ann' }, '/subject'],
    ['with a subject of no type', { ...BODY, subject: { id: 'ann' } }, '/subject/type'],
    ['with a subject of no id', { ...BODY, subject: { type: 'user' } }, '/subject/id'],
    ['with a number as id', { ...BODY, subject: { type: 'user', id: 1 } }, '/subject/id'],
    ['with a list of properties', { ...BODY, subject: { ...BODY.subject, properties: [] } }, '/subject/properties'],
    ['without an action', { ...BODY, action: null }, '/action'],
    ['with an action of no name', { ...BODY, action: {} }, '/action/name'],
    [
      'with a text as properties of the action',
      { ...BODY, action: { name: 'a', properties: '' } },
      '/action/properties',
    ],
    ['without a resource', { subject: BODY.subject, action: BODY.action }, '/resource'],
    ['with a resource of no type', { ...BODY, resource: { id: 'f1' } }, '/resource/type'],
    ['with a resource of no id', { ...BODY, resource: { type: 'file' } }, '/resource/id'],
    ['with a text as context', { ...BODY, context: 'x' }, '/context'],
  ])('%s is refused', (_, body, path) => {
    expect(() => accessRequestOf(body)).toThrow(refused(path))
  })

  test.each<readonly [string, Needed, ObjectValue, object]>([
    [
      'for subjects needs no id of the subject, and takes none',
      { subjectId: false, action: true, resourceId: true },
      BODY,
      { ...READ, subject: { ...READ.subject, id: '' } },
    ],
    [
      'for resources needs no id of the resource, and takes none',
      { subjectId: true, action: true, resourceId: false },
      { ...BODY, resource: { type: 'file' } },
      { ...READ, resource: { ...READ.resource, id: '' } },
    ],
    [
      'for actions needs no action, and takes none',
      { subjectId: true, action: false, resourceId: true },
      BODY,
      { ...READ, action: { name: '', ...NONE } },
    ],
  ])('%s', (_, needed, body, read) => {
    expect(accessRequestOf(body, needed)).toEqual(read)
  })

  test.each<readonly [Value]>([[[]], ['x'], [null]])('with the body %j is refused', (body) => {
    expect(() => requestBody(body)).toThrow(refused(''))
  })
})

describe('a batch of requests', () => {
  test.each<readonly [string, ObjectValue, readonly Value[] | undefined]>([
    ['has its items', { evaluations: [{}, 1] }, [{}, 1]],
    ['without items is one request', { evaluations: [] }, undefined],
    ['that is missing is one request', {}, undefined],
  ])('%s', (_, body, items) => {
    expect(evaluationsOf(body, 2)).toEqual(items)
  })

  test.each<readonly [string, ObjectValue]>([
    ['with too many items', { evaluations: [{}, {}, {}] }],
    ['that is no list', { evaluations: {} }],
    ['that is null', { evaluations: null }],
  ])('%s is refused', (_, body) => {
    expect(() => evaluationsOf(body, 2)).toThrow(refused('/evaluations'))
  })

  test('completes each item by the members at the top, which it replaces as a whole', () => {
    const body = { ...BODY, subject: { ...BODY.subject, properties: { level: 1 } }, context: { time: 5 } }
    expect(itemRequestOf(body, {})).toEqual({
      ...READ,
      subject: { ...READ.subject, properties: { level: 1 } },
      context: { time: 5 },
    })
    const item = {
      subject: { type: 'user', id: 'bob' },
      action: { name: 'write' },
      resource: { type: 'file', id: 'f2' },
      context: {},
    }
    expect(itemRequestOf(body, item)).toEqual({
      subject: { type: 'user', id: 'bob', ...NONE },
      action: { name: 'write', ...NONE },
      resource: { type: 'file', id: 'f2', ...NONE },
      context: {},
    })
    expect(() => itemRequestOf(body, 'x')).toThrow(refused(''))
    expect(() => itemRequestOf({ subject: BODY.subject, action: BODY.action }, {})).toThrow(refused('/resource'))
  })
})

describe('the input of a ruleset', () => {
  const known = (double: ObjectValue, decimal: ObjectValue) => ({ properties: { double, decimal } })
  const entities = new Map([
    ['user', { byId: new Map([['ann', known({ level: 2, team: 'a' }, { level: 3, team: 'a' })]]) }],
    ['file', { byId: new Map([['ann', known({ secret: true }, {})]]) }],
  ]) as unknown as Entities

  test('has the known properties of subject and resource, each by its type and id', () => {
    expect(inputOf(READ, entities, 'double')).toEqual({
      ...READ,
      subject: { type: 'user', id: 'ann', properties: { level: 2, team: 'a' } },
    })
    expect(inputOf(READ, entities, 'decimal')).toMatchObject({ subject: { properties: { level: 3 } } })
    const own = { ...READ, resource: { ...READ.resource, id: 'ann' } }
    expect(inputOf(own, entities, 'double')).toMatchObject({ resource: { properties: { secret: true } } })
    expect(inputOf(READ, undefined, 'double')).toEqual(READ)
  })

  test('has the sent properties above the known ones, member by member', () => {
    const sent = { ...READ, subject: { ...READ.subject, properties: { level: 9 } } }
    expect(inputOf(sent, entities, 'double')).toMatchObject({ subject: { properties: { level: 9, team: 'a' } } })
    const empty = { ...READ, subject: { ...READ.subject, properties: {} } }
    expect(inputOf(empty, entities, 'double')).toMatchObject({ subject: { properties: { level: 2, team: 'a' } } })
  })

  test('has the action and the context as they were sent', () => {
    const asked = { ...READ, action: { name: 'read', properties: { soft: true } }, context: { time: 5 } }
    expect(inputOf(asked, entities, 'double')).toMatchObject({ action: asked.action, context: { time: 5 } })
  })
})
