"""Random values of botocore's shapes."""

from model import moment_of

ALPHABETS = ["abcdefghijklmnopqrstuvwxyz0123456789-", "aZ09 +&=%?#/:;,.~_-!'()*[]{}<>\"\\|`^$@",
             "aé߀漢字\U0001f600\u2028", "a \t\n"]
INTEGERS = [0, 1, -1, 2, 100, 2**31 - 1, -2**31, 2**53, -2**53]


class Draw:
    """`odds`: the chance that an optional member is there, by (name, shape, parent)."""

    def __init__(self, random, odds):
        self.random, self.odds = random, odds

    def value(self, shape, depth=0):
        return getattr(self, f"draw_{shape.type_name}", self.draw_string)(shape, depth)

    def draw_structure(self, shape, depth):
        return {name: self.value(member, depth + 1) for name, member in shape.members.items()
                if self.random.random() < self.odds(name, member, shape, depth)}

    def draw_list(self, shape, depth):
        return [self.value(shape.member, depth + 1) for _ in range(self.random.choice([0, 1, 1, 2, 3, 11]))]

    def draw_map(self, shape, depth):
        return {self.text() or "k": self.value(shape.value, depth + 1) for _ in range(self.random.randrange(4))}

    def draw_string(self, _shape, _depth):
        return self.text()

    def draw_boolean(self, _shape, _depth):
        return self.random.random() < 0.5

    def draw_integer(self, _shape, _depth):
        return self.random.choice([self.random.choice(INTEGERS), self.random.randrange(100000)])

    draw_long = draw_integer

    def draw_double(self, _shape, _depth):
        return self.random.choice([0.0, 0.096, 1e-7, 1e21, -2.5, 1.0, self.random.random(), self.random.gauss(0, 1e9)])

    draw_float = draw_double

    def draw_timestamp(self, _shape, _depth):
        seconds = self.random.randrange(2**32)
        return moment_of(seconds * 10**6 + self.random.choice([0, 0, 7, 500000, self.random.randrange(10**6)]))

    def draw_blob(self, _shape, _depth):
        return self.random.randbytes(self.random.randrange(20))

    def text(self):
        return "".join(self.random.choices(self.random.choice(ALPHABETS), k=self.random.choice([0, 1, 5, 12, 40])))
