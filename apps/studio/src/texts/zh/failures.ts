const REASONS: { readonly [code: string]: string } = {
  'null-operand': '缺少值',
  'null-argument': '缺少值',
  'missing-field': '缺少值',
  'wrong-type': '值的类型不符',
  'bad-argument': '不允许的值',
  'division-by-zero': '除以零',
  'not-finite': '数字过大',
  'value-too-large': '值过大',
  'nested-too-deeply': '值嵌套过深',
  'no-branch': '没有匹配的分支或行',
  'max-depth': '步骤过多',
  INVALID_INPUT: '输入违反契约',
}

/** The reason why a decision fails, by error code. Unknown codes are shown as they are. */
export const failureReason = (code: string): string => REASONS[code] ?? code
