import { isObject, type Value } from '@engine/expression'

type Fields = { readonly [key: string]: Value }

/** Carts with one or two used coupons fail, since they have no third one. No saved test has such a cart. */
export const thirdCoupon = (ruleset: Value): Value =>
  inBranches(nextMinor(ruleset), 'eligible', (branches) =>
    branches.map((branch) =>
      branch['id'] === 'b3'
        ? {
            ...branch,
            condition:
              'cart_amount < 30 || count(coupons_used_30d) > 0 && cart_amount < 1.5 * coupons_used_30d[2].original_amount',
          }
        : branch,
    ),
  )

/** Delivery to Austria is free from 100, no longer from 150. */
export const cheaperToAustria = (ruleset: Value): Value =>
  inBranches(nextMinor(ruleset), 'free', (branches) => [
    ...branches,
    {
      id: 'b3',
      label: 'Austria from 100',
      condition: '!order.express && !destination.remote && destination.country == "AT" && order.value >= 100',
      nextStepId: 'free_shipping',
    },
  ])

/** Unfinished work: some carts match no row, which a saved test notices, and a new row is never reached. */
export const unfinishedTable = (ruleset: Value): Value =>
  inStep(withoutStep(nextMinor(ruleset), 'no_coupon'), 'grade', ({ defaultNextStepId: _, ...step }) => ({
    ...step,
    rows: [
      ...fieldsIn(step['rows']),
      {
        id: 'r7',
        note: 'members with a very large cart',
        cells: {
          customer_class: '"member"',
          cart_amount: '>= 500',
          coupon_type: '"member"',
          discount_rate: '0.12',
        },
      },
    ],
  }))

/** The ruleset with the version after 1.0.0, which is that of the templates. */
function nextMinor(ruleset: Value): Value {
  if (!isObject(ruleset)) throw new Error('a ruleset is an object')
  const { config } = ruleset
  return { ...ruleset, config: { ...(isObject(config) && config), version: '1.1.0' } }
}

function withoutStep(ruleset: Value, id: string): Value {
  if (!isObject(ruleset)) throw new Error('a ruleset is an object')
  return { ...ruleset, steps: fieldsIn(ruleset['steps']).filter((step) => step['id'] !== id) }
}

const inBranches = (ruleset: Value, id: string, change: (branches: readonly Fields[]) => Value[]): Value =>
  inStep(ruleset, id, (step) => ({ ...step, branches: change(fieldsIn(step['branches'])) }))

/** The ruleset with a changed step. Throws an error if it has no such step. */
function inStep(ruleset: Value, id: string, change: (step: Fields) => Fields): Value {
  if (!isObject(ruleset)) throw new Error('a ruleset is an object')
  const steps = fieldsIn(ruleset['steps'])
  if (!steps.some((step) => step['id'] === id)) throw new Error(`the ruleset has no step ${id}`)
  return { ...ruleset, steps: steps.map((step) => (step['id'] === id ? change(step) : step)) }
}

const fieldsIn = (list: Value | undefined): readonly Fields[] => (Array.isArray(list) ? list.filter(isObject) : [])
