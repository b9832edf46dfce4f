// The catalogue's data file, embedded by the assembler. EC2_DATA_FILE is its path, set by CMake.
#include "cloud/aws/catalogue.h"

__asm__(".section .rodata\n"
        ".global ec2_data_begin\n"
        ".global ec2_data_end\n"
        "ec2_data_begin:\n"
        ".incbin \"" EC2_DATA_FILE "\"\n"
        "ec2_data_end:\n"
        ".previous\n");

extern const char ec2_data_begin[], ec2_data_end[];

Slice ec2_catalogue_embedded(void) {
    return (Slice){ec2_data_begin, (size_t)(ec2_data_end - ec2_data_begin)};
}
