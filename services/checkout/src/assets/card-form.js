// The card form works without this file; it names the brand, groups digits, and keeps a form from being submitted twice.

const BRANDS = [
  ['Visa', /^4/],
  ['Mastercard', /^(?:5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]\d|7[01]|720))/],
  ['American Express', /^3[47]/],
  ['JCB', /^35(?:2[89]|[3-8])/],
  ['UnionPay', /^62/],
  ['Diners Club', /^3(?:0[0-5]|[68])/],
  ['Discover', /^6(?:011|4[4-9]|5)/],
];

const form = document.querySelector('[data-card-form]');
const { card_number: number, card_expiry: expiry } = form.elements;
const shown = form.querySelector('[data-brand]');

function digitsOf(input) {
  return input.value.replace(/\D/g, '');
}

/** Only where the customer writes at the end, so that a correction in the middle stays where it is. */
function format(input, write) {
  if (input.selectionStart === input.value.length) input.value = write(digitsOf(input));
}

function nameBrand() {
  const digits = digitsOf(number);
  const [name = ''] = BRANDS.find(([, pattern]) => pattern.test(digits)) ?? [];
  if (shown.textContent !== name) shown.textContent = name;
}

number.addEventListener('input', () => {
  format(number, (digits) => digits.slice(0, 19).replace(/(\d{4})(?=\d)/g, '$1 '));
  nameBrand();
});

expiry.addEventListener('input', ({ inputType }) => {
  // A slash that was deleted does not come back at once.
  if (inputType?.startsWith('delete')) return;
  if (/^\d{2}$/.test(expiry.value)) expiry.value += '/';
  else if (/^[2-9]$/.test(expiry.value)) expiry.value = `0${expiry.value}/`;
});

const button = form.querySelector('[type="submit"]');
const label = button.textContent;
form.addEventListener('submit', () => {
  button.disabled = true;
  button.textContent = button.dataset.busy;
});
// A page that a browser has kept and shows again can be submitted again.
addEventListener('pageshow', () => {
  button.disabled = false;
  button.textContent = label;
  nameBrand();
});
