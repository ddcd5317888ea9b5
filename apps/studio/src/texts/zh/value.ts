import type { ValueTexts } from '../en/value.ts'

export const value: ValueTexts = {
  forInput: '（按下方的输入）',
  missed: '下方的输入不会走到这一步。',
  failed: (message) => `按下方的输入没有值：${message}`,
}
