const rules = new Intl.PluralRules('en')

/** `1 step`, `2 steps`. */
export const many = (count: number, one: string, other: string) =>
  `${count.toLocaleString('en')} ${rules.select(count) === 'one' ? one : other}`
