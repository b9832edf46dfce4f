// The table of partitions, as botocore 1.44 has it; tests/aws/wire compares.
#include "aws/endpoint/partition.h"

// Partitions whose first words begin another's names come after it only where the rest tells them apart: a region is
// WORDS-direction-number.
static const AwsPartition partitions[] = {
    {"aws",
     "us eu ap sa ca me af il mx",
     "amazonaws.com",
     "api.aws",
     {"iam.amazonaws.com", "iam-fips.amazonaws.com", "iam.global.api.aws", "iam-fips.global.api.aws", "us-east-1"}},
    {"aws-cn",
     "cn aws-cn",
     "amazonaws.com.cn",
     "api.amazonwebservices.com.cn",
     {"iam.cn-north-1.amazonaws.com.cn", "iam-fips.amazonaws.com.cn", "iam.global.api.amazonwebservices.com.cn",
      "iam-fips.api.amazonwebservices.com.cn", "cn-north-1"}},
    {"aws-eusc",
     "eusc-de",
     "amazonaws.eu",
     "api.amazonwebservices.eu",
     {"iam.eusc-de-east-1.amazonaws.eu", "iam-fips.amazonaws.eu", "iam.global.api.amazonwebservices.eu",
      "iam-fips.api.amazonwebservices.eu", "eusc-de-east-1"}},
    {"aws-iso",
     "us-iso aws-iso",
     "c2s.ic.gov",
     "api.aws.ic.gov",
     {"iam.us-iso-east-1.c2s.ic.gov", "iam-fips.us-iso-east-1.c2s.ic.gov", "iam.api.aws.ic.gov",
      "iam-fips.api.aws.ic.gov", "us-iso-east-1"}},
    {"aws-iso-b",
     "us-isob aws-iso-b",
     "sc2s.sgov.gov",
     "api.aws.scloud",
     {"iam.us-isob-east-1.sc2s.sgov.gov", "iam-fips.us-isob-east-1.sc2s.sgov.gov", "iam.api.aws.scloud",
      "iam-fips.api.aws.scloud", "us-isob-east-1"}},
    {"aws-iso-e",
     "eu-isoe aws-iso-e",
     "cloud.adc-e.uk",
     "api.cloud-aws.adc-e.uk",
     {"iam.eu-isoe-west-1.cloud.adc-e.uk", "iam-fips.cloud.adc-e.uk", "iam.api.cloud-aws.adc-e.uk",
      "iam-fips.api.cloud-aws.adc-e.uk", "eu-isoe-west-1"}},
    {"aws-iso-f",
     "us-isof aws-iso-f",
     "csp.hci.ic.gov",
     "api.aws.hci.ic.gov",
     {"iam.us-isof-south-1.csp.hci.ic.gov", "iam-fips.csp.hci.ic.gov", "iam.api.aws.hci.ic.gov",
      "iam-fips.api.aws.hci.ic.gov", "us-isof-south-1"}},
    {"aws-us-gov",
     "us-gov aws-us-gov",
     "amazonaws.com",
     "api.aws",
     {"iam.us-gov.amazonaws.com", "iam.us-gov.amazonaws.com", "iam.us-gov.api.aws", "iam.us-gov.api.aws",
      "us-gov-west-1"}},
};

// What stands before the last `count` words: of "us-gov-west-1" and 2 "us-gov"; empty: it has no more words.
static Slice without_last_words(Slice name, int count) {
    while (name.len && count) {
        name.len--;
        count -= name.ptr[name.len] == '-';
    }
    return name;
}

static bool has_word(const char *words, Slice wanted) {
    Slice rest = slice_of(words);

    while (rest.len) {
        ptrdiff_t space = slice_find(rest, ' ');
        Slice word = space < 0 ? rest : slice_first(rest, (size_t)space);

        if (slice_eq(word, wanted))
            return true;
        rest = slice_from(rest, word.len + 1);
    }
    return false;
}

const AwsPartition *aws_partition_of(Slice region) {
    // "aws-cn-global" is one, too; no place is.
    Slice words = without_last_words(region, slice_ends_with(region, SLICE("-global")) ? 1 : 2);

    for (size_t i = 0; words.len && i < sizeof partitions / sizeof *partitions; i++) {
        if (has_word(partitions[i].regions, words))
            return &partitions[i];
    }
    return &partitions[0];
}
