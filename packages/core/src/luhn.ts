/** The digit that, put behind the digits, makes them pass isLuhn (ISO/IEC 7812-1). */
export function luhnDigit(digits: string): string {
  return String((10 - (luhnSum(`${digits}0`) % 10)) % 10);
}

/**
 * Whether the last digit is the right one for those before it: one digit mistyped, or two neighbours swapped (but 09), is
 * noticed.
 */
export function isLuhn(digits: string): boolean {
  return /^\d{2,}$/.test(digits) && luhnSum(digits) % 10 === 0;
}

function luhnSum(digits: string): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = digit * 2;
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum;
}
